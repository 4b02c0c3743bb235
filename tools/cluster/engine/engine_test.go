package main

import (
	"testing"

	"github.com/slipstick/slipstick/conformance"
)

func TestConformance(t *testing.T) { conformance.Run(t, Engine(), vectors()) }
