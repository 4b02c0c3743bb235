// Command locked makes calls with the Go client, and prints the answers.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/locked/calculations"
)

var ctx = context.Background()

// at returns a client of the service with one kind of fault.
func at(fault string) *calculations.Client {
	return calculations.New(os.Args[1]+"/"+fault+"/", &calculations.Options{Header: http.Header{"X-Api-Key": {"secret"}}})
}

func ohms(volts, ohms float64) calculations.OhmsLawInput {
	return calculations.OhmsLawInput{Voltage: calculations.NewVoltage(volts, "V"), Resistance: calculations.NewResistance(ohms, "ohm")}
}

func main() {
	a, err := at("well").OhmsLaw(ctx, calculations.OhmsLawInput{Voltage: calculations.NewVoltage(12, "V"), Resistance: calculations.NewResistance(3, "kohm")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("power", a.Result.Power.Value(), a.Tier, len(a.EngineDigest), len(a.Assumptions), len(a.Warnings))
	surface := calculations.NewTemperature(350, "K")
	now, err := at("well").GreySurfaceRadiation(ctx, calculations.GreySurfaceRadiationInput{Emissivity: calculations.Some(0.9), Temperature: surface})
	if err != nil {
		log.Fatal(err)
	}
	then, err := at("well").GreySurfaceRadiationV1_0_0(ctx, calculations.GreySurfaceRadiationV1_0_0Input{Emissivity: calculations.Some(0.9), Temperature: surface})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("pinned", now.Result.HeatFlux.Value(), then.Result.HeatFlux.Value())
	amps, err := at("well").WattsToAmps(ctx, calculations.WattsToAmpsInput{
		Circuit: calculations.WattsToAmpsCircuit_ac_three_phase, Primary: calculations.Some(6001.0), Volts: calculations.NewVoltage(0.4, "kV"), Pf: calculations.Some(0.9), Phase: "line_to_line",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("choices", amps.Result.Amps.Value())

	quantities(a)

	for _, fault := range []string{"well", "tampered", "older", "busy", "full", "later", "gateway", "moved"} {
		in := ohms(12, 8)
		if fault == "well" {
			in = ohms(12, 0)
		}
		_, err := at(fault).OhmsLaw(ctx, in)
		fmt.Println(fault, word(err))
	}
	impatient := calculations.New(os.Args[1]+"/silent", &calculations.Options{Timeout: 50 * time.Millisecond})
	_, err = impatient.OhmsLaw(ctx, ohms(12, 8))
	fmt.Println("silent", errors.Is(err, context.DeadlineExceeded))

	for _, fault := range []string{"well", "crowded", "ending", "tampered", "short", "full"} {
		taken, answered, refused, lead, sum := 0, 0, 0, 0, 0.0
		end := "ends"
		rows := func(yield func(calculations.OhmsLawInput) bool) {
			for ; taken < 2500; taken++ {
				if !yield(ohms(float64(taken), float64(taken%1700))) {
					return
				}
			}
		}
		for a, err := range at(fault).OhmsLawBatch(ctx, rows) {
			lead = max(lead, taken-answered-refused)
			var p *calculations.Problem
			switch {
			case err == nil:
				answered++
				sum += a.Result.Power.Value()
			case errors.As(err, &p) && p.Status == 400:
				refused++
			default:
				end = word(err)
			}
		}
		fmt.Println(fault, "batch", answered, refused, strconv.FormatFloat(sum, 'f', -1, 64), lead <= 1000, end)
	}
}

// quantities uses results as quantities: printed, as inputs, and in other units.
func quantities(a *calculations.Answer[calculations.OhmsLawResult]) {
	fmt.Println("quantity", a.Result.Power, a.Result.Power.Unit())
	again, err := at("well").OhmsLaw(ctx, calculations.OhmsLawInput{Current: a.Result.Current, Power: a.Result.Power})
	if err != nil {
		log.Fatal(err)
	}
	milliwatts, err := again.To(ctx, "power", "mW")
	fmt.Println("to", milliwatts, word(err))
	_, err = a.To(ctx, "power", "kg")
	fmt.Println("to kg", word(err))
	list := calculations.ParallelResistanceInput{Resistances: []calculations.Resistance{calculations.NewResistance(100, "kohm"), calculations.NewResistance(1, "Mohm")}}
	parallel, err := at("well").ParallelResistance(ctx, list)
	if err != nil {
		log.Fatal(err)
	}
	kiloohms, err := parallel.To(ctx, "parallel_resistance", "kohm")
	fmt.Println("list to", kiloohms, word(err))
	for row, err := range at("well").ParallelResistanceBatch(ctx, slices.Values([]calculations.ParallelResistanceInput{list})) {
		if err != nil {
			log.Fatal(err)
		}
		megaohms, err := row.To(ctx, "series_resistance", "Mohm")
		fmt.Println("row to", megaohms, word(err))
	}
	swapped, err := at("swapped").OhmsLaw(ctx, ohms(12, 8))
	if err != nil {
		log.Fatal(err)
	}
	_, err = swapped.To(ctx, "power", "mW")
	fmt.Println("swapped to", word(err))
	_, err = at("bare").OhmsLaw(ctx, calculations.OhmsLawInput{Voltage: calculations.NewVoltage(0, ""), Resistance: calculations.NewResistance(3, "kohm")})
	fmt.Println("bare", strings.Contains(err.Error(), "voltage") && strings.Contains(err.Error(), "V"))
	list.Resistances[1] = calculations.NewResistance(1, "")
	_, err = at("bare").ParallelResistance(ctx, list)
	fmt.Println("bare item", strings.Contains(err.Error(), "resistances") && strings.Contains(err.Error(), "Ω"))
}

// word returns the kind of the error.
func word(err error) string {
	var p *calculations.Problem
	var l *calculations.LockError
	switch {
	case errors.As(err, &p):
		return fmt.Sprint(p.Code, " ", p.Status, " ", p.Field)
	case errors.As(err, &l):
		return fmt.Sprint("LockError ", l.Capability)
	case err != nil:
		return "error"
	}
	return "answer"
}
