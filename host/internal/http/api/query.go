package api

import (
	"slices"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// Names of parameters.
const (
	outputKey  = "output"
	unitKey    = "unit"
	unitsKey   = "units"
	decimalKey = "decimal"
	errorsKey  = "errors"
	idKey      = "id"
	tagKey     = "tag"
	stepsKey   = "steps"
	limitKey   = "limit"
	cursorKey  = "cursor"
	verboseKey = "verbose"
)

// howToCalculate is the hint for inputs in the query of an endpoint that does not take them.
const howToCalculate = "Send inputs as JSON in the body of POST /api/v1/calc/{id}, or in the query of GET /api/v1/value/{id}."

// The queries of the routes.
var (
	noQuery          = web.Query{}
	pinnedQuery      = web.Query{Parameters: web.PinParameters}
	describedQuery   = web.Query{Parameters: web.PinParameters, Hint: howToCalculate}
	calculationQuery = web.Query{Parameters: withPins(web.Parameter{Name: stepsKey}, web.Parameter{Name: unitsKey}, web.Parameter{Name: unitKey, Many: true}), Hint: howToCalculate}
	snapshotQuery    = web.Query{Parameters: withPins(web.Parameter{Name: stepsKey}), Hint: "A snapshot has the units of the API. Its page takes units."}
	pagedQuery       = web.Query{Parameters: []web.Parameter{{Name: limitKey}, {Name: cursorKey}}}
	unitsQuery       = web.Query{Parameters: []web.Parameter{{Name: quantityKey}}}
	studyQuery       = web.Query{Parameters: withPins(web.Parameter{Name: outputKey}, web.Parameter{Name: unitsKey}, web.Parameter{Name: unitKey, Many: true})}
	batchQuery       = web.Query{Parameters: withPins(
		web.Parameter{Name: idKey}, web.Parameter{Name: outputKey}, web.Parameter{Name: unitsKey}, web.Parameter{Name: unitKey, Many: true}, web.Parameter{Name: tagKey, Many: true}, web.Parameter{Name: decimalKey},
	)}

	// Parameters of a value are never inputs, even if a Spec has inputs of these names.
	valueQuery = web.Query{Parameters: withPins(
		web.Parameter{Name: outputKey, Many: true}, web.Parameter{Name: unitKey, Many: true}, web.Parameter{Name: decimalKey}, web.Parameter{Name: errorsKey},
	), Others: web.Open}

	// People share the URLs of snapshots and problems.
	publicQuery = web.Query{Others: web.Foreign}

	// A probe of a load balancer must not fail because of a parameter without a meaning here.
	probeQuery = web.Query{Others: web.Open}
	readyQuery = web.Query{Parameters: []web.Parameter{{Name: verboseKey, Many: true}}, Others: web.Open}
)

func withPins(others ...web.Parameter) []web.Parameter {
	return slices.Concat(others, web.PinParameters)
}
