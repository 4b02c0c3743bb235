// Command client makes the calls of the README with the client that oapi-codegen wrote into package api.
package main

import (
	"context"
	"fmt"
	"os"

	"client/api"
)

func main() {
	if err := calls(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("oapi-codegen: compiled, and every call answered")
}

func calls(ctx context.Context, url string) error {
	client, err := api.NewClientWithResponses(url)
	if err != nil {
		return err
	}
	for _, call := range []func(context.Context, *api.ClientWithResponses) error{byID, withUnit, current, pinned, conflict, frozen, listed} {
		if err := call(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

var cantilever = map[string]any{"L": 3, "E": 210e9, "I": 8.356e-5, "w0": 12000}

func byID(ctx context.Context, client *api.ClientWithResponses) error {
	var body api.Request
	if err := body.FromInputs(api.Inputs{AdditionalProperties: cantilever}); err != nil {
		return err
	}
	r, err := client.CalculateByIDWithResponse(ctx, "cantilever-deflection", nil, body)
	if err != nil {
		return err
	}
	return equal(r.JSON200.Result["delta"], 0.001846406346166997)
}

func withUnit(ctx context.Context, client *api.ClientWithResponses) error {
	var length, load api.NumberOrQuantity
	var modulus, moment api.NumberOrQuantityOrPreset
	if err := length.FromNumberOrQuantity1(api.NumberOrQuantity1{Value: 3000, Unit: "mm"}); err != nil {
		return err
	}
	if err := load.FromNumberOrQuantity0(12000); err != nil {
		return err
	}
	for number, value := range map[*api.NumberOrQuantityOrPreset]float64{&modulus: 210e9, &moment: 8.356e-5} {
		if err := number.FromNumberOrQuantityOrPreset0(value); err != nil {
			return err
		}
	}
	var body api.MechanicalStaticsCantileverWallTriangleOuterMomentAtDeflectionRequest
	if err := body.FromMechanicalStaticsCantileverWallTriangleOuterMomentAtDeflectionInputs(
		api.MechanicalStaticsCantileverWallTriangleOuterMomentAtDeflectionInputs{L: &length, E: &modulus, I: &moment, W0: &load}); err != nil {
		return err
	}
	r, err := client.CalculateMechanicalStaticsCantileverWallTriangleOuterMomentAtDeflectionWithResponse(ctx, nil, body)
	if err != nil {
		return err
	}
	result, err := r.JSON200.AsMechanicalStaticsCantileverWallTriangleOuterMomentAtDeflection100Result()
	if err != nil {
		return err
	}
	return equal(result.Result.Delta, 0.001846406346166997)
}

// surface requests the radiation of a surface, with a pin in the body, in the header, or without one.
func surface(ctx context.Context, client *api.ClientWithResponses, body, header string) (*api.CalculateThermoRadiationGreySurfaceResponse, error) {
	var temperature api.NumberOrQuantity
	if err := temperature.FromNumberOrQuantity0(350); err != nil {
		return nil, err
	}
	emissivity := 0.9
	inputs := api.ThermoRadiationGreySurfaceInputs{Emissivity: &emissivity, Temperature: &temperature}
	if body != "" {
		pin := api.ThermoRadiationGreySurfaceVersion(body)
		inputs.CalculationVersion = &pin
	}
	var request api.ThermoRadiationGreySurfaceRequest
	if err := request.FromThermoRadiationGreySurfaceInputs(inputs); err != nil {
		return nil, err
	}
	var params api.CalculateThermoRadiationGreySurfaceParams
	if header != "" {
		pin := api.ThermoRadiationGreySurfaceVersion(header)
		params.ServiceSpecVersion = &pin
	}
	return client.CalculateThermoRadiationGreySurfaceWithResponse(ctx, &params, request)
}

func current(ctx context.Context, client *api.ClientWithResponses) error {
	r, err := surface(ctx, client, "", "")
	if err != nil {
		return err
	}
	result, err := r.JSON200.AsThermoRadiationGreySurface200Result()
	if err != nil {
		return err
	}
	return equal(result.Result.HeatFlux, 765.8195051509771)
}

func pinned(ctx context.Context, client *api.ClientWithResponses) error {
	r, err := surface(ctx, client, "", "1.0.0")
	if err != nil {
		return err
	}
	result, err := r.JSON200.AsThermoRadiationGreySurface100Result()
	if err != nil {
		return err
	}
	return equal(result.Result.HeatFlux, 765.81850314375)
}

func conflict(ctx context.Context, client *api.ClientWithResponses) error {
	r, err := surface(ctx, client, "2.0.0", "1.0.0")
	if err != nil {
		return err
	}
	if err := equal(r.StatusCode(), 409); err != nil {
		return err
	}
	return equal(string(r.JSON409.Code), "VERSION_PIN_CONFLICT")
}

func frozen(ctx context.Context, client *api.ClientWithResponses) error {
	tool := "cantilever-deflection"
	r, err := client.CreateSnapshotWithResponse(ctx, nil, api.NamedInputs{ToolId: &tool, Inputs: api.Inputs{AdditionalProperties: cantilever}})
	if err != nil {
		return err
	}
	made := r.JSON201
	if made == nil {
		made = r.JSON200 // another client created the same snapshot before
	}
	read, err := client.GetSnapshotWithResponse(ctx, made.Id, nil)
	if err != nil {
		return err
	}
	found, err := read.JSON200.Result.AsSuccess() // it could be a study
	if err != nil {
		return err
	}
	return equal(found.Result["delta"], 0.001846406346166997)
}

func listed(ctx context.Context, client *api.ClientWithResponses) error {
	r, err := client.ListCalculationsWithResponse(ctx, nil)
	if err != nil {
		return err
	}
	return equal(r.JSON200.Count, len(r.JSON200.Capabilities))
}

func equal(got, want any) error {
	if got != want {
		return fmt.Errorf("%v (%T) was answered, want %v (%T)", got, got, want, want)
	}
	return nil
}
