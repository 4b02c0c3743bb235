package registry

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var platformForm = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+$`)

// machine is an architecture, as the formats of executables name it.
type machine struct {
	elf   elf.Machine
	macho macho.Cpu
	pe    uint16
}

var machines = map[string]machine{
	"386":     {elf.EM_386, macho.Cpu386, pe.IMAGE_FILE_MACHINE_I386},
	"amd64":   {elf.EM_X86_64, macho.CpuAmd64, pe.IMAGE_FILE_MACHINE_AMD64},
	"arm":     {elf.EM_ARM, macho.CpuArm, pe.IMAGE_FILE_MACHINE_ARMNT},
	"arm64":   {elf.EM_AARCH64, macho.CpuArm64, pe.IMAGE_FILE_MACHINE_ARM64},
	"loong64": {elf: elf.EM_LOONGARCH, pe: pe.IMAGE_FILE_MACHINE_LOONGARCH64},
	"ppc64le": {elf: elf.EM_PPC64},
	"riscv64": {elf: elf.EM_RISCV, pe: pe.IMAGE_FILE_MACHINE_RISCV64},
	"s390x":   {elf: elf.EM_S390},
}

// checkEngine returns an error unless data is a program for the platform.
func checkEngine(platform string, data []byte) error {
	if !platformForm.MatchString(platform) {
		return fmt.Errorf("platform %.100q is not of the form linux/amd64", platform)
	}
	if len(data) > MaxEngine {
		return fmt.Errorf("the engine for %s has %d bytes, more than the %d allowed: leave out debug information (-ldflags=-s)", platform, len(data), MaxEngine)
	}
	if err := checkProgram(platform, data); err != nil {
		return fmt.Errorf("the engine for %s %w: publish the binary that the linker wrote for it", platform, err)
	}
	return nil
}

func checkProgram(platform string, data []byte) error {
	goos, arch, _ := strings.Cut(platform, "/")
	want, known := machines[arch]
	if bytes.HasPrefix(data, []byte("#!")) {
		return errors.New("is a script, whose interpreter is not part of the release")
	}
	if !known {
		return errors.New("is for an unknown architecture (known are 386, amd64, arm, arm64, loong64, ppc64le, riscv64, s390x)")
	}
	switch goos {
	case "darwin":
		f, err := macho.NewFile(bytes.NewReader(data))
		if err != nil || f.Type != macho.TypeExec {
			return errors.New("is no Mach-O executable")
		}
		return sameMachine(f.Cpu, want.macho)
	case "windows":
		f, err := pe.NewFile(bytes.NewReader(data))
		if err != nil || f.Characteristics&pe.IMAGE_FILE_EXECUTABLE_IMAGE == 0 || f.Characteristics&pe.IMAGE_FILE_DLL != 0 {
			return errors.New("is no PE executable")
		}
		return sameMachine(f.Machine, want.pe)
	default:
		f, err := elf.NewFile(bytes.NewReader(data))
		if err != nil || f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
			return errors.New("is no ELF executable")
		}
		return sameMachine(f.Machine, want.elf)
	}
}

func sameMachine[M comparable](got, want M) error {
	if got != want {
		return fmt.Errorf("is built for another architecture (%v, not %v)", got, want)
	}
	return nil
}
