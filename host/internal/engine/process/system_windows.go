package process

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// lower gives the process of a started command a low priority.
func lower(cmd *exec.Cmd) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_INFORMATION, false, uint32(cmd.Process.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.SetPriorityClass(process, windows.IDLE_PRIORITY_CLASS)
}

// inherit passes an open file to a command that is not started. It returns the number of the file in the process.
func inherit(cmd *exec.Cmd, file *os.File) (uintptr, error) {
	if err := windows.SetHandleInformation(windows.Handle(file.Fd()), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
		return 0, err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, syscall.Handle(file.Fd()))
	return file.Fd(), nil
}

// temporary returns the variables that name the directory for temporary files of a process.
func temporary(dir string) []string { return []string{"TMP=" + dir, "TEMP=" + dir} }
