// SPDX-License-Identifier: Apache-2.0

package contention

// Frame is one function on a stack. What is unknown is left empty.
type Frame struct {
	Function string `json:"function,omitempty"`
	Module   string `json:"module,omitempty"`
	// Offset is the place of Address in the module's file.
	Offset  Address `json:"offset,omitempty"`
	File    string  `json:"file,omitempty"`
	Line    int     `json:"line,omitempty"`
	Inlined bool    `json:"inlined,omitempty"`
	Address Address `json:"address"`
	Kernel  bool    `json:"kernel,omitempty"`
	// Guessed says that the frame was not found by unwind information, but by frame
	// pointers or by a search of the stack: it, and those outwards of it, may be wrong.
	Guessed bool `json:"guessed,omitempty"`
	// Truncated says of the outermost frame that the stack goes on and was not
	// followed.
	Truncated bool `json:"truncated,omitempty"`
}

// Name is the best there is to call f by: its function, else its place in its module, else
// its address.
func (f Frame) Name() string {
	switch {
	case f.Function != "":
		return f.Function
	case f.Module != "":
		return f.Module + "+" + f.Offset.String()
	default:
		return f.Address.String()
	}
}

// Stack is a list of frames from the innermost outwards.
type Stack []Frame

// StackID is a place in Trace.Stacks; NoStack is none.
type StackID int32

// NoStack is the id of a stack that was not taken.
const NoStack StackID = 0
