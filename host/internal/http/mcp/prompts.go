package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"
)

// prompt is a prompt and the message that it expands to.
type prompt struct {
	protocol.Prompt
	message func(arguments map[string]string) string
}

var prompts = []prompt{{
	Prompt: protocol.Prompt{
		Name: "solve", Title: "Solve with a tested calculation",
		Description: "Answer an engineering question with a published calculation, and show its evidence.",
		Arguments: []*protocol.PromptArgument{
			{Name: "question", Description: "The question in plain words, with the known values.", Required: true},
			{Name: "capability_id", Description: "The calculation to use, if known."},
		},
	},
	message: func(a map[string]string) string {
		first := "Find the calculation with " + toolSearch + "; if none fits, say so and do not compute by hand."
		if id := a["capability_id"]; id != "" {
			first = fmt.Sprintf("Use the calculation %q.", id)
		}
		return fmt.Sprintf(`Answer this question with Slipstick:

%s

%s Read its inputs and assumptions with %s. Ask me for missing values that matter, and state the defaults that you use. Run %s. If it returns an error, correct the request with its field and suggestion.

Then give the result with its unit, the formula, the assumptions that limit it here, and every warning. Add the verification tier and the capability id with its calculation_version.`, a["question"], first, toolDescribe, toolExecute)
	},
}, {
	Prompt: protocol.Prompt{
		Name: "recheck_snapshot", Title: "Recheck a snapshot",
		Description: "Recompute a snapshot with its own version and with the current version, and compare the results.",
		Arguments: []*protocol.PromptArgument{
			{Name: "id", Description: "The id of the snapshot, cx_...", Required: true},
		},
	},
	message: func(a map[string]string) string {
		return fmt.Sprintf(`Recheck the snapshot %q.

Read it with %s. Run %s with its capability_id and inputs, once with its calculation_version and once without. Compare both results with the snapshot. State whether the numbers agree, and which versions and engine digests were used. List assumptions and warnings of the current version that the snapshot does not have.`, a["id"], toolSnapshot, toolExecute)
	},
}}

func (s *Server) addPrompts() {
	for i := range prompts {
		p := &prompts[i]
		s.server.AddPrompt(&p.Prompt, func(_ context.Context, req *protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
			for _, a := range p.Arguments {
				if a.Required && req.Params.Arguments[a.Name] == "" {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("the argument %s of prompt %s is missing", a.Name, p.Name)}
				}
			}
			return &protocol.GetPromptResult{
				Description: p.Description,
				Messages:    []*protocol.PromptMessage{{Role: "user", Content: &protocol.TextContent{Text: p.message(req.Params.Arguments)}}},
			}, nil
		})
	}
}
