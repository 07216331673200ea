// SPDX-License-Identifier: Apache-2.0

package ksym

import (
	"os"
	"sync"
)

// Cache keeps the running kernel's table, which takes a tenth of a second to read, for as
// long as no module comes or goes. The zero value is empty, and a nil one keeps nothing.
// It may be used by several goroutines.
type Cache struct {
	mu      sync.Mutex
	modules string
	table   *Table
}

// Load returns the table as the function Load does. A table with an error is not kept.
func (c *Cache) Load() (*Table, error) {
	if c == nil {
		return Load()
	}
	modules, unknown := os.ReadFile("/proc/modules") // absent where there can be none
	if unknown != nil && !os.IsNotExist(unknown) {
		return Load()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.table != nil && c.modules == string(modules) {
		return c.table, nil
	}
	table, err := Load()
	if err == nil {
		c.modules, c.table = string(modules), table
	}
	return table, err
}
