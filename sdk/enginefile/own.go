package enginefile

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
)

// DescriptorVariable is the environment variable with the number of a descriptor. A server sets it
// if it starts the runtime alone, or if the engine cannot open its own file. The descriptor has the
// bytes after the runtime, see [File.Tail].
const DescriptorVariable = "SLIPSTICK_TEXT"

// Own returns the text of the running program: from the descriptor in [DescriptorVariable], or from
// the end of the program's own file. It does not compare the runtime, which runs already, with the
// trailer. The error is [ErrNoDocument] if the program is a runtime alone.
func Own() (*Text, error) {
	f, err := own()
	if err != nil {
		return nil, fmt.Errorf("read the document of this program: %w", err)
	}
	return &f.Text, nil
}

func own() (*File, error) {
	number, handed := os.LookupEnv(DescriptorVariable)
	open := ownFile
	if handed {
		open = func() (*os.File, error) { return descriptor(number) }
	}
	file, err := open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return readTail(file, info.Size(), handed)
}

func descriptor(number string) (*os.File, error) {
	fd, err := strconv.ParseUint(number, 10, 31)
	if err != nil || fd < 3 {
		return nil, fmt.Errorf("%s=%.20q is not a descriptor: unset it", DescriptorVariable, number)
	}
	return os.NewFile(uintptr(fd), DescriptorVariable), nil
}

// ownFile opens the file of the program. On Linux it need not have a name.
func ownFile() (*os.File, error) {
	if runtime.GOOS == "linux" {
		return os.Open("/proc/self/exe")
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
