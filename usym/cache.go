// SPDX-License-Identifier: Apache-2.0

package usym

import "container/list"

// cacheLimit is how many bytes all tables may take together. The one used last may
// take more alone.
const cacheLimit = 64 << 20

// kept is a table in the cache.
type kept interface {
	bytes() int64
	close()
}

// cache holds tables that several processes share, and drops those that were not used
// for the longest time.
type cache struct {
	limit   int64
	size    int64
	entries map[fileKey]*list.Element
	order   *list.List // the last used first
}

type cached struct {
	key   fileKey
	value kept
	size  int64
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, entries: make(map[fileKey]*list.Element), order: list.New()}
}

func (c *cache) get(key fileKey) (kept, bool) {
	e, ok := c.entries[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	entry := e.Value.(*cached)
	grown := entry.value.bytes() // debug information is read as it is asked for
	c.size += grown - entry.size
	entry.size = grown
	return entry.value, true
}

// put keeps value, which the cache closes when it drops it.
func (c *cache) put(key fileKey, value kept) {
	if known, ok := c.get(key); ok && known == value {
		return
	}
	c.drop(key)
	entry := &cached{key: key, value: value, size: value.bytes()}
	c.entries[key] = c.order.PushFront(entry)
	c.size += entry.size
	for c.size > c.limit && c.order.Len() > 1 {
		c.drop(c.order.Back().Value.(*cached).key)
	}
}

func (c *cache) drop(key fileKey) {
	e, ok := c.entries[key]
	if !ok {
		return
	}
	entry := c.order.Remove(e).(*cached)
	delete(c.entries, key)
	c.size -= entry.size
	entry.value.close()
}

func (c *cache) clear() {
	for c.order.Len() > 0 {
		c.drop(c.order.Back().Value.(*cached).key)
	}
}
