package contract

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/google/go-cmp/cmp"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

//go:generate protoc --descriptor_set_out=testdata/engine.binpb engine.proto

// reference is engine.proto as protobuf itself reads it.
var reference = sync.OnceValue(func() protoreflect.FileDescriptor {
	data, err := os.ReadFile("testdata/engine.binpb")
	if err != nil {
		panic(err)
	}
	set := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(data, set); err != nil {
		panic(err)
	}
	file, err := protodesc.NewFile(set.GetFile()[0], nil)
	if err != nil {
		panic(err)
	}
	return file
})

// The reference matches the document.
func TestReference(t *testing.T) {
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		t.Skip("protoc is not installed")
	}
	compiled := filepath.Join(t.TempDir(), "engine.binpb")
	if out, err := exec.CommandContext(t.Context(), protoc, "--descriptor_set_out="+compiled, "engine.proto").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(compiled)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("testdata/engine.binpb"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("testdata/engine.binpb is not engine.proto (%v): run go generate", err)
	}
}

func newMessage(name protoreflect.Name) *dynamicpb.Message {
	return dynamicpb.NewMessage(reference().Messages().ByName(name))
}

// members are the fields of a message by name. A list is a slice.
type members map[protoreflect.Name]any

func messageOf(name protoreflect.Name, m members) *dynamicpb.Message {
	message := newMessage(name)
	for name, v := range m {
		field := message.Descriptor().Fields().ByName(name)
		switch v := v.(type) {
		case []*dynamicpb.Message:
			for _, item := range v {
				message.Mutable(field).List().Append(protoreflect.ValueOfMessage(item))
			}
		case []string:
			for _, item := range v {
				message.Mutable(field).List().Append(protoreflect.ValueOfString(item))
			}
		case *dynamicpb.Message:
			message.Set(field, protoreflect.ValueOfMessage(v))
		default:
			message.Set(field, protoreflect.ValueOf(v))
		}
	}
	return message
}

func valueMessage(v value.Value) *dynamicpb.Message {
	items := func() *dynamicpb.Message { return messageOf("Values", members{"values": valueMessages(v.Items())}) }
	switch v.Kind() {
	case value.Number:
		return messageOf("Value", members{"number": v.Number()})
	case value.Text:
		return messageOf("Value", members{"text": v.Text()})
	case value.Bool:
		return messageOf("Value", members{"truth": v.Bool()})
	case value.Exact:
		return messageOf("Value", members{"exact": v.Text()})
	case value.List:
		return messageOf("Value", members{"list": items()})
	case value.Record:
		return messageOf("Value", members{"record": items()})
	}
	return newMessage("Value")
}

func valueMessages(values []value.Value) []*dynamicpb.Message {
	messages := make([]*dynamicpb.Message, len(values))
	for i, v := range values {
		messages[i] = valueMessage(v)
	}
	return messages
}

func answerMessage(o sdk.Outcome) *dynamicpb.Message {
	var warnings []*dynamicpb.Message
	for _, w := range o.Warnings {
		warnings = append(warnings, messageOf("Warning", members{
			"code": w.Code, "severity": string(w.Severity), "detail": w.Detail, "suggestion": w.Suggestion,
		}))
	}
	return messageOf("Answer", members{
		"result": valueMessages(o.Result), "inputs": valueMessages(o.Inputs), "formula": o.Formula,
		"assumptions": o.Assumptions, "warnings": warnings,
	})
}

// sameAnswer compares outcomes by their messages.
func sameAnswer(a, b sdk.Outcome) bool { return proto.Equal(answerMessage(a), answerMessage(b)) }

// normal returns the message as protobuf itself writes it.
func normal(t *testing.T, name string, b []byte) []byte {
	t.Helper()
	m := newMessage(protoreflect.Name(name))
	if err := proto.Unmarshal(b, m); err != nil {
		t.Fatal(err)
	}
	second, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return second
}

// sameError compares errors by their texts, and rejections by all fields.
func sameError(a, b error) bool {
	var x, y *sdk.Error
	if errors.As(a, &x) && errors.As(b, &y) {
		return cmp.Equal(x, y)
	}
	return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error()
}
