// Command payment is the engine of the payments of a loan. See [Engine].
package main

import (
	_ "embed"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// rateAbove100 is the code of this engine's warning.
const rateAbove100 = "RATE_ABOVE_100_PERCENT"

// begin is the timing of payments at the beginning of a period.
const begin = "begin"

// Input is the loan.
type Input struct {
	Principal     sdk.Decimal `name:"principal" money:"true" alias:"P,loan_amount,present_value,pv" symbol:"P" doc:"Amount of the loan, in any currency."`
	RatePerPeriod sdk.Decimal `name:"rate_per_period" label:"Interest rate per period" alias:"r,rate,interest_rate" symbol:"r" range:"(-1,)" doc:"Interest of one period as a part of what is owed: 0.004 for 4.8 % a year paid monthly."`
	Periods       int         `name:"periods" label:"Number of periods" alias:"n,number_of_payments,nper" symbol:"n" range:"[1,100000]" doc:"Number of periods, each with one payment."`
	FutureValue   sdk.Decimal `name:"future_value" label:"Remaining at the end" money:"true" alias:"FV,fv,balloon" symbol:"F" default:"0" advanced:"true" doc:"What is still owed after the last period."`
	Timing        string      `name:"timing" enum:"end,begin=beginning|due" default:"end" advanced:"true" doc:"Whether each payment is made at the end of its period or at the beginning."`
}

// Output is what the loan costs.
type Output struct {
	Payment       float64 `name:"payment" headline:"true" symbol:"A" money:"true" doc:"Payment of each period."`
	TotalPaid     float64 `name:"total_paid" symbol:"T" money:"true" doc:"Sum of all payments."`
	TotalInterest float64 `name:"total_interest" symbol:"I" money:"true" doc:"What is paid beyond the part of the principal that is paid back."`
}

// Engine returns the engine of finance.loan.payment 1.1.0: the equal payments A by
// which a loan P at the interest r per period falls to F within n periods. The formula is
// the Definition.
//
// Amounts are in one currency. A payment to the lender is positive.
//
// Error: none but the final rounding. Decimal strings count as what they say, powers
// are computed to 58 digits beyond what differences cancel, and each result is the
// binary64 nearest to the true value. Nothing is rounded to cents.
//
// Source: the present value of an annuity; see the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "finance.loan.payment",
		Version:    "1.1.0",
		Tool:       "loan-payment",
		Group:      "finance",
		Title:      "Loan payment and total interest",
		Summary:    "Equal payment of each period, total paid and total interest of a loan, from amount, interest rate and number of periods.",
		Changes:    "A rate above 100 % a period has a warning: it is mostly a rate in percent, 5.6 where 0.056 is meant. Numbers are as before.",
		Keywords:   []string{"mortgage", "monthly payment", "annuity", "amortization", "car loan", "instalment", "interest", "credit", "balloon payment"},
		Definition: `q = (1 + r)^n
A = (P - F)/n                      if r == 0           @annuity_without_interest_v1
A = (P*q - F)*r/(q - 1)            if timing == "end"  @annuity_end_v1
A = (P*q - F)*r/((q - 1)*(1 + r))  otherwise           @annuity_begin_v1
T = n*A
I = T - (P - F)`,
		Formulas: []sdk.Formula{
			{ID: "annuity_end_v1", Label: "Annuity, payments at the end of the periods"},
			{ID: "annuity_begin_v1", Label: "Annuity, payments at the beginning of the periods"},
			{ID: "annuity_without_interest_v1", Label: "No interest"},
		},
		Assumptions: []string{
			"The rate is the same in all periods, and interest is added once a period.",
			"There are no fees, and no payment is late or rounded.",
			"The rate is that of one period: an annual rate must be divided, or converted, first.",
		},
		SignConvention: "Payments to the lender are positive. future_value is positive where something is still owed at the end.",
		References: []sdk.Reference{
			{Title: "Present value of an ordinary annuity and of an annuity due", Where: "textbooks of financial mathematics"},
		},
		Limits:   []sdk.Limit{{Quantity: "rate_per_period", Max: new(1.0), Warning: rateAbove100, Doc: "A higher rate is mostly a rate in percent that was not divided by 100."}},
		Warnings: []string{rateAbove100},
		Plots: []sdk.Plot{{
			ID: "balance", Title: "Remaining principal",
			Summary: "What is still owed after each period, from the whole principal to what remains at the end.",
			X:       sdk.Axis{Label: "period", Symbol: "k"},
			Y:       sdk.Axis{Label: "remaining principal", Symbol: "P_k"},
		}},
	}, calculate)
}
