package api

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// Receipts returns proofs that the ledger contains a record.
type Receipts interface {
	Prove(record.Receipt) (*ledger.Proof, error)
}

// getReceipt answers GET /api/v1/receipts/{segment}/{leaf}.
func (s *server) getReceipt(w http.ResponseWriter, r *http.Request) error {
	if s.options.Receipts == nil {
		return problem.New(problem.CodeNotFound, "Ask the server that answered with the receipt.", "this server keeps no ledger")
	}
	receipt, err := record.ParseReceipt(r.PathValue("segment") + "/" + r.PathValue("leaf"))
	if err != nil {
		return unknownReceipt("this is %v", err)
	}
	proof, err := s.options.Receipts.Prove(receipt)
	if errors.Is(err, ledger.ErrUnknownReceipt) {
		return unknownReceipt("this receipt is not from the ledger of this server")
	}
	if err != nil {
		return err
	}
	body, err := json.Marshal(proof)
	if err != nil {
		return err
	}
	web.SetNoStore(w.Header())
	web.WriteJSON(w, http.StatusOK, append(body, '\n'))
	return nil
}

func unknownReceipt(format string, args ...any) error {
	return problem.New(problem.CodeNotFound, "Send the whole value of the header Slipstick-Receipt to the server that answered with it.", format, args...)
}
