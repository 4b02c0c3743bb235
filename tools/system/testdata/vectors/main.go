// Command vectors makes the calls of a test, and prints the answers with the bits of their numbers.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"

	k "example.com/locked/calculations"
)

func main() {
	ctx, c := context.Background(), k.New(os.Args[1], nil)
	CALLS
}

// printer returns a function that prints the results of the client method.
func printer(id string) func(answer any, err error) {
	return func(answer any, err error) {
		var p *k.Problem
		switch {
		case errors.As(err, &p):
			fmt.Println(id, p.Code, p.Field)
		case err != nil:
			fmt.Println(id, err)
		default:
			fmt.Println(id, bits(reflect.ValueOf(answer).Elem().FieldByName("Result")))
		}
	}
}

func bits(result reflect.Value) string {
	var list []string
	for i := range result.NumField() {
		v, name := result.Field(i), result.Type().Field(i).Tag.Get("json")
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				continue
			}
			v = v.Elem()
		}
		if q, ok := v.Interface().(interface {
			Value() float64
			Unit() string
		}); ok {
			if q.Unit() == "" {
				continue
			}
			v = reflect.ValueOf(q.Value())
		}
		if v.Kind() == reflect.Int64 {
			v = reflect.ValueOf(float64(v.Int()))
		}
		if v.Kind() == reflect.Float64 {
			list = append(list, fmt.Sprintf("%s=%016x", name, math.Float64bits(v.Float())))
		} else {
			list = append(list, fmt.Sprintf("%s=%v", name, v))
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
