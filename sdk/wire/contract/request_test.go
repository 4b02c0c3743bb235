package contract

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/slipstick/slipstick/sdk/value"
)

// An engine of the contract before request_id reads calls with one, and the same values.
func TestOlderEngineReadsRequest(t *testing.T) {
	data, err := os.ReadFile("testdata/engine.binpb")
	if err != nil {
		t.Fatal(err)
	}
	set := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(data, set); err != nil {
		t.Fatal(err)
	}
	removed := 0
	for _, message := range set.GetFile()[0].GetMessageType() {
		fields := message.GetField()
		message.Field = slices.DeleteFunc(fields, func(f *descriptorpb.FieldDescriptorProto) bool { return f.GetName() == "request_id" })
		removed += len(fields) - len(message.GetField())
	}
	file, err := protodesc.NewFile(set.GetFile()[0], nil)
	if err != nil || removed != 2 {
		t.Fatal(removed, err)
	}
	id, inputs := RequestIDOf("0123456789abcdef-1"), recordedRow(1)
	for name, sent := range map[string][2][]byte{ // with and without an id
		"Call": {
			AppendCall(nil, &Call{ID: 7, Timeout: time.Second, Trace: "00-trace", Request: id, Inputs: inputs}),
			AppendCall(nil, &Call{ID: 7, Timeout: time.Second, Trace: "00-trace", Inputs: inputs}),
		},
		"Batch": {
			AppendBatch(nil, &Batch{ID: 7, Timeout: time.Second, Trace: "00-trace", Request: id, Rows: []value.Values{inputs}}, len(inputs)),
			AppendBatch(nil, &Batch{ID: 7, Timeout: time.Second, Trace: "00-trace", Rows: []value.Values{inputs}}, len(inputs)),
		},
	} {
		var read [2]*dynamicpb.Message
		for i := range read {
			read[i] = dynamicpb.NewMessage(file.Messages().ByName(protoreflect.Name(name)))
			if err := proto.Unmarshal(sent[i], read[i]); err != nil {
				t.Fatal(name, err)
			}
		}
		if len(read[0].GetUnknown()) == 0 {
			t.Errorf("%s has no request_id", name)
		}
		read[0].SetUnknown(nil)
		if !proto.Equal(read[0], read[1]) {
			t.Errorf("%s is read as %v, without an id as %v", name, read[0], read[1])
		}
	}
}

// An id that is too long is none, on both sides.
func TestRequestIDOf(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "a", strings.Repeat("b", MaxRequestID): strings.Repeat("b", MaxRequestID), strings.Repeat("c", MaxRequestID+1): ""} {
		id := RequestIDOf(text)
		if got := id.String(); got != want {
			t.Errorf("%q is the id %q, want %q", text, got, want)
		}
		c, err := DecodeCall(appendString(nil, callRequest, text), recordedSpec())
		if err != nil || c.Request != id {
			t.Errorf("%q is read as %q, %v", text, c.Request.String(), err)
		}
	}
}
