package contestant

// answer is the success result of the interface for this one calculation.
type answer struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	Capability string `json:"capability_id"`
	Tool       string `json:"tool"`
	Engine     string `json:"engine"`
	Inputs     inputs `json:"inputs"`
	Result     result `json:"result"`
	Detail     struct {
		Value     result  `json:"value"`
		Unit      *string `json:"unit"`
		Formatted string  `json:"formatted"`
	} `json:"result_detail"`
	Formula struct {
		ID         string `json:"id"`
		Expression string `json:"expression"`
		Label      string `json:"label"`
	} `json:"formula"`
	Assumptions  []string  `json:"assumptions"`
	Warnings     []warning `json:"warnings"`
	Verification struct {
		Tier               string  `json:"tier"`
		EngineTested       bool    `json:"engine_tested"`
		ExpertReviewed     bool    `json:"expert_reviewed"`
		InternallyReviewed bool    `json:"internally_reviewed"`
		ReviewKind         *string `json:"review_kind"`
		SourceChecked      bool    `json:"source_checked"`
		ReviewedBy         *string `json:"reviewed_by"`
		ReviewerRole       *string `json:"reviewer_role"`
		LastReviewed       *string `json:"last_reviewed"`
	} `json:"verification"`
	CalculationVersion string `json:"calculation_version"`
	APIVersion         string `json:"api_version"`
	APIContract        string `json:"api_contract_version"`
	SpecVersion        string `json:"spec_version"`
	Page               string `json:"page"`
	Links              struct {
		SchemaInput  string `json:"schema_input"`
		SchemaOutput string `json:"schema_output"`
		Evidence     string `json:"evidence"`
		OpenAPI      string `json:"openapi"`
		Capabilities string `json:"capabilities"`
		MCP          string `json:"mcp"`
	} `json:"links"`
}

type inputs struct {
	Span    float64 `json:"span"`
	Width   float64 `json:"width"`
	Depth   float64 `json:"depth"`
	Modulus float64 `json:"modulus"`
	Load    float64 `json:"load"`
	Force   float64 `json:"force"`
	Couple  float64 `json:"couple"`
	Axial   float64 `json:"axial"`
}

type result struct {
	Deflection float64 `json:"deflection"`
	Moment     float64 `json:"moment"`
	Reaction   float64 `json:"reaction"`
	Stress     float64 `json:"stress"`
}

type warning struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}
