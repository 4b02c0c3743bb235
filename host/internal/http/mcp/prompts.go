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
		Description: "Answer an engineering question with a published calculation, and show what the answer rests on.",
		Arguments: []*protocol.PromptArgument{
			{Name: "question", Description: "The question in plain words, with the values that are known.", Required: true},
			{Name: "capability_id", Description: "The calculation to use, if it is known."},
		},
	},
	message: func(a map[string]string) string {
		first := "Find the calculation with " + toolSearch + "; if none fits, say so and do not compute by hand."
		if id := a["capability_id"]; id != "" {
			first = fmt.Sprintf("Use the calculation %q.", id)
		}
		return fmt.Sprintf(`Answer this question with Slipstick:

%s

%s Read its inputs and assumptions with %s. Ask me for values that are missing and matter; say which defaults you took. Run %s, and if it answers an error correct what its field and suggestion name.

Then give the result with its unit, the formula, the assumptions that limit it here, every warning, the verification tier, and the capability id with its calculation_version.`, a["question"], first, toolDescribe, toolExecute)
	},
}, {
	Prompt: protocol.Prompt{
		Name: "recheck_snapshot", Title: "Recheck a frozen calculation",
		Description: "Compute a snapshot again, with the version that it was made with and with the current one, and compare.",
		Arguments: []*protocol.PromptArgument{
			{Name: "id", Description: "The id of the snapshot, cx_...", Required: true},
		},
	},
	message: func(a map[string]string) string {
		return fmt.Sprintf(`Recheck the frozen calculation %q.

Read it with %s. Run %s with its capability_id and inputs, once with its calculation_version and once without, and compare both results with the frozen one. Say whether the numbers agree, which versions and engine digests were used, and what the current version's assumptions and warnings say that the frozen ones do not.`, a["id"], toolSnapshot, toolExecute)
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
