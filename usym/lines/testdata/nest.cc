/* SPDX-License-Identifier: Apache-2.0 */
/* Templates, lambdas, constructors, local classes, code that the linker drops. */
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>
#include <cstdio>

namespace shop {

template <typename T> struct Box {
	T value;
	explicit Box(T v) : value(std::move(v)) {}
	T take() const { return value; }
};

class Ledger {
public:
	void add(const std::string &name, int amount) { entries_[name].push_back(Box<int>(amount)); }
	int total(const std::string &name) const
	{
		auto it = entries_.find(name);
		if (it == entries_.end())
			return 0;
		return std::accumulate(it->second.begin(), it->second.end(), 0,
				       [](int sum, const Box<int> &b) { return sum + b.take(); });
	}
	virtual ~Ledger() = default;

private:
	std::unordered_map<std::string, std::vector<Box<int>>> entries_;
};

namespace {
struct Local {
	static int twice(int x)
	{
		struct Inner {
			int by(int y) { return y * 2 + static_cast<int>(std::to_string(y).size()); }
		} inner;
		return inner.by(x);
	}
};
} // namespace

} // namespace shop

/* Nobody calls it, so that --gc-sections leaves only its debug information. */
int dropped(std::vector<int> &v)
{
	std::stable_sort(v.begin(), v.end());
	return v.front();
}

int main(int argc, char **argv)
{
	shop::Ledger ledger;
	std::map<int, std::unique_ptr<std::string>> names;
	for (int i = 0; i < argc + 3; i++) {
		names[i] = std::make_unique<std::string>(argv[0]);
		ledger.add(*names[i], shop::Local::twice(i));
	}
	std::vector<int> v;
	for (auto &[key, name] : names)
		v.push_back(ledger.total(*name) + key);
	std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
	try {
		std::printf("%d %d\n", v.at(0), v.at(static_cast<size_t>(argc)));
	} catch (const std::exception &e) {
		std::puts(e.what());
	}
	return 0;
}
