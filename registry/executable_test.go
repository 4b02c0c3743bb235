package registry_test

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"

	conformance "github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk/verification"
)

func machO(cpu macho.Cpu, kind macho.Type) []byte {
	var b bytes.Buffer
	h := macho.FileHeader{Magic: macho.Magic64, Cpu: cpu, Type: kind}
	if err := binary.Write(&b, binary.LittleEndian, h); err != nil {
		panic(err)
	}
	b.Write(make([]byte, 4)) // reserved
	return b.Bytes()
}

func portableExecutable(machine, flags uint16) []byte {
	b := bytes.NewBuffer(make([]byte, 0x40))
	copy(b.Bytes(), "MZ")
	b.Bytes()[0x3c] = 0x40
	b.WriteString("PE\x00\x00")
	if err := binary.Write(b, binary.LittleEndian, pe.FileHeader{Machine: machine, Characteristics: flags}); err != nil {
		panic(err)
	}
	b.Write(make([]byte, 64))
	return b.Bytes()
}

func TestEngineIsAProgramForItsPlatform(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	intel, arm := program(elf.EM_X86_64, ""), program(elf.EM_AARCH64, "")
	object := bytes.Clone(intel)
	object[16] = byte(elf.ET_REL)
	cases := []struct {
		name, platform string
		data           []byte
		want           string // "" if it may be published
	}{
		{"this test", here, binary, ""},
		{"ELF", "linux/amd64", intel, ""},
		{"ELF", "linux/arm64", arm, ""},
		{"ELF", "freebsd/amd64", intel, ""},
		{"Mach-O", "darwin/arm64", machO(macho.CpuArm64, macho.TypeExec), ""},
		{"PE", "windows/amd64", portableExecutable(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_EXECUTABLE_IMAGE), ""},

		{"nothing", "linux/amd64", nil, "no ELF executable"},
		{"text", "linux/amd64", []byte("engine"), "no ELF executable"},
		{"script", "linux/amd64", []byte("#!/bin/sh\n"), "is a script"},
		{"script", "darwin/arm64", []byte("#!/bin/sh\n"), "is a script"},
		{"half a header", "linux/amd64", intel[:40], "no ELF executable"},
		{"object file", "linux/amd64", object, "no ELF executable"},
		{"other machine", "linux/arm64", intel, "another architecture (EM_X86_64, not EM_AARCH64)"},
		{"unknown machine", "linux/z80", intel, "unknown architecture"},
		{"Mach-O", "linux/arm64", machO(macho.CpuArm64, macho.TypeExec), "no ELF executable"},
		{"ELF", "darwin/amd64", intel, "no Mach-O executable"},
		{"Mach-O library", "darwin/arm64", machO(macho.CpuArm64, macho.TypeDylib), "no Mach-O executable"},
		{"Mach-O of other machine", "darwin/amd64", machO(macho.CpuArm64, macho.TypeExec), "another architecture"},
		{"ELF", "windows/amd64", intel, "no PE executable"},
		{"DLL", "windows/amd64", portableExecutable(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_EXECUTABLE_IMAGE|pe.IMAGE_FILE_DLL), "no PE executable"},
		{"PE object", "windows/amd64", portableExecutable(pe.IMAGE_FILE_MACHINE_AMD64, 0), "no PE executable"},
		{"PE of other machine", "windows/arm64", portableExecutable(pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_EXECUTABLE_IMAGE), "another architecture"},
		{"too big", "linux/amd64", make([]byte, registry.MaxEngine+1), "more than the 536870912"},
	}
	for _, tc := range cases {
		t.Run(tc.name+" for "+tc.platform, func(t *testing.T) {
			r, _ := open(t)
			c := candidate(beam, "1.0.0")
			c.Engines, c.Report = map[string][]byte{tc.platform: tc.data}, nil
			_, err := r.Publish(t.Context(), c)
			switch {
			case tc.want == "" && err != nil:
				t.Error(err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("error = %v, want one with %q", err, tc.want)
			case err != nil && !strings.Contains(err.Error(), tc.platform):
				t.Errorf("error %q does not name %s", err, tc.platform)
			}
		})
	}
}

func TestReleaseForSeveralPlatforms(t *testing.T) {
	r, _ := open(t)
	c := candidate(beam, "1.0.0")
	foreign := machO(macho.CpuArm64, macho.TypeExec)
	c.Engines["darwin/arm64"] = foreign
	c.Report = report(2, c.Engines[here], foreign)
	p := publish(t, r, c)
	rel := release(capability(t, r, beam), "1.0.0")
	mustServe(t, rel)
	if got := strings.Join(rel.Platforms, " "); got != "darwin/arm64 "+here {
		t.Errorf("platforms = %s", got)
	}
	if rel.EngineDigest != p.Engines[here] || p.Engines[here] == p.Engines["darwin/arm64"] {
		t.Errorf("engine %s of %v", rel.EngineDigest, p.Engines)
	}
	if _, v, found, err := r.FindEngine(t.Context(), p.Engines["darwin/arm64"]); !found || v != "1.0.0" || err != nil {
		t.Errorf("FindEngine of another platform = %s, %v, %v", v, found, err)
	}
}

// On every platform, only a report about the engine for that platform counts.
func TestEvidenceIsOfThePlatform(t *testing.T) {
	foreign := machO(macho.CpuArm64, macho.TypeExec)
	own := engine("own")
	for _, tt := range []struct {
		name    string
		report  *conformance.Document
		reports []*conformance.Document
		want    verification.Tier
		leads   bool
	}{
		{"a report each", report(2, own), []*conformance.Document{report(2, foreign)}, verification.EngineTested, true},
		{"the other way round", report(2, foreign), []*conformance.Document{report(2, own)}, verification.EngineTested, true},
		{"one of both", report(2, own, foreign), nil, verification.EngineTested, true},
		{"only of this", report(2, own), nil, verification.EngineTested, true},
		{"only of the other", nil, []*conformance.Document{report(2, foreign)}, verification.Candidate, true},
		{"none", nil, nil, verification.Candidate, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := open(t)
			c := candidate(beam, "1.0.0")
			c.Engines = map[string][]byte{here: own, "darwin/arm64": foreign}
			c.Report, c.Reports = tt.report, tt.reports
			p := publish(t, r, c)
			rel := release(capability(t, r, beam), "1.0.0")
			mustServe(t, rel)
			if rel.Verification.Tier != tt.want || (p.Current != "") != tt.leads {
				t.Errorf("tier %s, current %q", rel.Verification.Tier, p.Current)
			}
			if again := publish(t, r, c); again.Status != registry.Unchanged || again.Restored != 0 {
				t.Errorf("again: %+v", again)
			}
			want := map[string]string{here: digest.FromBytes(own).String(), "darwin/arm64": digest.FromBytes(foreign).String()}
			if !maps.Equal(rel.Engines, want) {
				t.Errorf("engines %v, want %v", rel.Engines, want)
			}
		})
	}
}
