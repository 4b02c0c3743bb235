module github.com/slipstick/slipstick/tools

go 1.26.0

require (
	github.com/dlclark/regexp2 v1.11.0
	github.com/yuin/goldmark v1.8.5
	go.yaml.in/yaml/v3 v3.0.5
)
