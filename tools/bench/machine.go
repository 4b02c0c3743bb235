package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes the machine, so that measurements can be compared.
type machine struct {
	Cores  int    `json:"cores"`
	CPU    string `json:"cpu"`
	Go     string `json:"go"`
	GOARCH string `json:"goarch"`
	Kernel string `json:"kernel"`
}

func thisMachine() machine {
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return machine{runtime.NumCPU(), cpu(), runtime.Version(), runtime.GOARCH, strings.TrimSpace(string(kernel))}
}

// cpu returns the name of the CPU, or "" if the system does not provide it.
func cpu() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (m machine) String() string {
	return fmt.Sprintf("%d cores %s, %s %s, kernel %s", m.Cores, m.CPU, m.Go, m.GOARCH, m.Kernel)
}
