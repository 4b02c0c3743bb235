// Package imports contains the tests of the import rules of the workspace and of the architecture page.
package imports

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const workspace = "github.com/slipstick/slipstick/"

// modules are the directories of go.work.
var modules = []string{"versions", "sdk", "docs", "conformance", "registry", "plugins", "host", "tools"}

// rules list the workspace packages that a package can import. A name that ends in /... also applies to
// the packages below it. The first matching rule decides.
var rules = []struct {
	pkg     string
	imports []string
	tests   []string // additional imports of its tests
}{
	{pkg: "versions"},
	{pkg: "sdk", imports: []string{"sdk/formula", "sdk/internal/calllog", "sdk/internal/pattern", "sdk/units", "sdk/value", "sdk/verification", "sdk/visible"}, tests: []string{"sdk/internal/box"}},
	{pkg: "sdk/cmd/slipstick-text", imports: []string{"sdk/enginefile", "sdk/text", "sdk/wire"}},
	{pkg: "sdk/document", imports: []string{"sdk", "sdk/visible"}},
	{pkg: "sdk/doubled"},
	{pkg: "sdk/enginefile"},
	{pkg: "sdk/formula", imports: []string{"sdk/doubled", "sdk/internal/pattern", "sdk/spelling", "sdk/units", "sdk/value", "sdk/visible"}},
	{pkg: "sdk/internal/box", imports: []string{"sdk", "sdk/value"}},
	{pkg: "sdk/internal/calllog"},
	{pkg: "sdk/internal/pattern"},
	{pkg: "sdk/preset", imports: []string{"sdk/internal/pattern", "sdk/spelling", "sdk/units", "sdk/value", "sdk/visible"}},
	{pkg: "sdk/request", imports: []string{"sdk", "sdk/formula", "sdk/request/strictjson", "sdk/spelling", "sdk/units", "sdk/value"}},
	{pkg: "sdk/request/strictjson"},
	{pkg: "sdk/response", imports: []string{"sdk", "sdk/formula", "sdk/value", "sdk/verification"}, tests: []string{"sdk/internal/box"}},
	{pkg: "sdk/spelling"},
	{pkg: "sdk/text", imports: []string{"sdk", "sdk/doubled", "sdk/enginefile", "sdk/formula", "sdk/internal/pattern", "sdk/preset", "sdk/request", "sdk/request/strictjson", "sdk/spelling", "sdk/units", "sdk/value", "sdk/visible"}},
	{pkg: "sdk/units", imports: []string{"sdk/internal/pattern", "sdk/spelling"}},
	{pkg: "sdk/value"},
	{pkg: "sdk/verification"},
	{pkg: "sdk/visible"},
	{pkg: "sdk/wire", imports: []string{"sdk", "sdk/internal/calllog", "sdk/value", "sdk/wire/contract", "sdk/wire/socket"}, tests: []string{"sdk/document"}},
	{pkg: "sdk/wire/contract", imports: []string{"sdk", "sdk/document", "sdk/response", "sdk/value"}},
	{pkg: "sdk/wire/socket"},
	{pkg: "docs"},
	{pkg: "docs/examples/...", imports: []string{"sdk", "sdk/wire"}},
	{pkg: "conformance", imports: []string{"conformance/cases", "conformance/internal/observe", "conformance/internal/rules", "conformance/report", "conformance/requirements", "conformance/vector", "sdk"}, tests: []string{"sdk/text", "sdk/value", "sdk/verification"}},
	{pkg: "conformance/cases", imports: []string{"conformance/internal/boundary", "sdk", "sdk/formula", "sdk/request", "sdk/text", "sdk/units", "sdk/value"}, tests: []string{"sdk/request/strictjson"}},
	{pkg: "conformance/compare", imports: []string{"sdk", "sdk/request/strictjson", "sdk/response", "sdk/value"}},
	{pkg: "conformance/compat", imports: []string{"conformance", "conformance/compare", "conformance/vector", "sdk", "sdk/formula", "sdk/request", "sdk/request/strictjson", "sdk/value", "versions"}},
	{pkg: "conformance/internal/boundary", imports: []string{"sdk/value"}},
	{pkg: "conformance/internal/observe", imports: []string{"conformance/cases", "conformance/report", "conformance/vector", "sdk", "sdk/request", "sdk/request/strictjson", "sdk/value"}},
	{pkg: "conformance/internal/rules", imports: []string{"conformance/cases", "conformance/internal/boundary", "conformance/internal/observe", "conformance/proof", "conformance/report", "conformance/requirements", "conformance/vector", "sdk", "sdk/formula", "sdk/request/strictjson", "sdk/response", "sdk/text", "sdk/units", "sdk/value", "sdk/verification", "versions"}},
	{pkg: "conformance/proof", imports: []string{"sdk", "sdk/formula", "sdk/request/strictjson", "sdk/value"}},
	{pkg: "conformance/report", imports: []string{"sdk", "sdk/request/strictjson"}},
	{pkg: "conformance/requirements"},
	{pkg: "conformance/vector", imports: []string{"sdk", "sdk/request/strictjson", "sdk/visible"}},
	{pkg: "conformance/tables", imports: []string{"conformance/compat", "sdk/formula", "sdk/preset", "sdk/value"}},
	{pkg: "registry", imports: []string{"conformance/report", "conformance/tables", "registry/evidence", "registry/hostkeys", "registry/internal/rounds", "registry/mediatype", "registry/provenance", "registry/regular", "registry/sign", "registry/store", "registry/transparency", "sdk", "sdk/document", "sdk/enginefile", "sdk/preset", "sdk/verification", "versions"}, tests: []string{"registry/internal/faulty"}},
	{pkg: "registry/documents"},
	{pkg: "registry/evidence", imports: []string{"conformance/report", "registry/documents", "registry/provenance", "registry/sign", "sdk/verification", "sdk/visible"}},
	{pkg: "registry/hostkeys"},
	{pkg: "registry/internal/faulty", imports: []string{"registry/store"}},
	{pkg: "registry/internal/rounds"},
	{pkg: "registry/lockfile", imports: []string{"registry", "registry/documents", "registry/evidence", "registry/store", "versions"}},
	{pkg: "registry/mediatype"},
	{pkg: "registry/provenance", imports: []string{"sdk/visible"}},
	{pkg: "registry/regular"},
	{pkg: "registry/remote", imports: []string{"registry", "registry/hostkeys", "registry/internal/rounds", "registry/mediatype", "registry/sign", "registry/store", "registry/transparency", "sdk", "versions"}, tests: []string{"conformance/report", "registry/evidence", "sdk/enginefile", "sdk/verification"}},
	{pkg: "registry/sign", imports: []string{"registry/documents", "registry/regular"}},
	{pkg: "registry/store", imports: []string{"registry/regular", "versions"}, tests: []string{"registry/internal/faulty"}},
	{pkg: "registry/transparency", imports: []string{"registry/regular"}},
	{pkg: "plugins/internal/ask", imports: []string{"conformance/vector", "sdk", "sdk/request", "sdk/request/strictjson", "sdk/text", "sdk/value"}}, // for tests of engines
	{pkg: "plugins/internal/documents", tests: []string{"plugins/internal/ask", "sdk", "sdk/request", "sdk/request/strictjson", "sdk/preset", "sdk/text", "sdk/value", "conformance"}},
	{pkg: "plugins/internal/...", imports: []string{"sdk", "sdk/doubled", "sdk/value", "plugins/internal/..."}},
	{pkg: "plugins/...", imports: []string{"sdk", "sdk/wire", "plugins/internal/..."}, tests: []string{"conformance", "sdk/units", "sdk/value"}},
	{pkg: "host/tools/bench", imports: []string{"host/tools/bench/internal/beam", "host/tools/bench/internal/contestant", "host/tools/bench/internal/fleet", "host/tools/bench/internal/forge", "host/tools/bench/internal/rows", "host/tools/bench/internal/server", "host/tools/bench/internal/stats", "host/tools/bench/internal/wrk", "host/internal/tables/columns"}},
	{pkg: "host/tools/bench/engine", imports: []string{"host/tools/bench/internal/beam", "sdk", "sdk/wire"}, tests: []string{"conformance"}},
	{pkg: "host/tools/bench/internal/beam"},
	{pkg: "host/tools/bench/internal/contestant", imports: []string{"host/tools/bench/internal/beam"}},
	{pkg: "host/tools/bench/internal/fleet"},
	{pkg: "host/tools/bench/internal/forge", imports: []string{"conformance/report", "registry/mediatype", "registry/store", "sdk"}, tests: []string{"host/internal/engine/sandbox", "host/internal/server", "host/internal/source"}},
	{pkg: "host/tools/bench/internal/rows", imports: []string{"host/tools/bench/internal/beam"}},
	{pkg: "host/tools/bench/internal/server"},
	{pkg: "host/tools/bench/internal/stats"},
	{pkg: "host/tools/bench/internal/wrk", imports: []string{"host/tools/bench/internal/beam", "host/tools/bench/internal/stats"}},
	{pkg: "host/tools/cluster", imports: []string{"host/tools/cluster/internal/load", "host/tools/cluster/internal/report", "host/tools/cluster/internal/site", "host/tools/cluster/internal/world"}},
	{pkg: "host/tools/cluster/engine", imports: []string{"sdk", "sdk/wire"}, tests: []string{"conformance"}},
	{pkg: "host/tools/cluster/queue", imports: []string{"host/tools/cluster/internal/world"}},
	{pkg: "host/tools/cluster/internal/load"},
	{pkg: "host/tools/cluster/internal/report"},
	{pkg: "host/tools/cluster/internal/site", imports: []string{"host/tools/cluster/internal/load", "host/tools/cluster/internal/world"}},
	{pkg: "host/tools/cluster/internal/world"},
	{pkg: "host/tools/imports"},
	{pkg: "host/tools/modules"},
	{pkg: "host/tools/package", imports: []string{"host/tools/package/internal/archive", "host/tools/package/internal/chart", "host/tools/package/internal/debian", "host/tools/package/internal/image", "host/tools/package/internal/library", "host/tools/package/internal/licence", "host/tools/package/internal/program", "host/tools/package/internal/release", "host/tools/package/internal/tree"}},
	{pkg: "host/tools/package/internal/archive", imports: []string{"host/tools/package/internal/release", "host/tools/package/internal/tree"}},
	{pkg: "host/tools/package/internal/licence", imports: []string{"host/tools/package/internal/release"}},
	{pkg: "host/tools/package/internal/chart", imports: []string{"host/tools/package/internal/archive", "host/tools/package/internal/release", "host/tools/package/internal/tree"}},
	{pkg: "host/tools/package/internal/debian", imports: []string{"host/tools/package/internal/release", "host/tools/package/internal/tree"}},
	{pkg: "host/tools/package/internal/image", imports: []string{"host/tools/package/internal/licence", "host/tools/package/internal/release", "host/tools/package/internal/roots", "host/tools/package/internal/tree"}},
	{pkg: "host/tools/package/internal/library", imports: []string{"host/tools/package/internal/program", "host/tools/package/internal/tree", "registry/mediatype"}},
	{pkg: "host/tools/package/internal/program", imports: []string{"host/internal/release/spdx", "host/tools/package/internal/archive", "host/tools/package/internal/licence", "host/tools/package/internal/release"}},
	{pkg: "host/tools/package/internal/release"},
	{pkg: "host/tools/package/internal/roots"},
	{pkg: "host/tools/package/internal/tree"},
	{pkg: "host/tools/release", imports: []string{"conformance/report", "host/tools/released", "versions"}},
	{pkg: "host/tools/released", imports: []string{"host/internal/platform/durable", "host/internal/release/build", "host/internal/release/git", "sdk", "versions"}},
	{pkg: "host/tools/system", tests: []string{"conformance/compat", "conformance/report", "conformance/requirements", "host/internal/archive/audit", "host/internal/archive/ledger", "host/internal/archive/snapshot", "host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/record", "host/internal/calc/shadow", "host/internal/cli/terminal", "host/internal/engine/pool", "host/internal/engine/process", "host/internal/engine/sandbox", "host/internal/page/plot/plottest", "host/internal/platform/redis", "host/internal/queue", "host/internal/queue/shards", "host/internal/release/build", "host/internal/release/document", "host/internal/release/publish", "host/internal/source", "host/internal/study", "host/internal/tables/columns", "host/internal/tables/customary", "host/tools/released", "host/tools/system/openapitest", "host/tools/system/uswalk", "registry", "registry/evidence", "registry/hostkeys", "registry/sign", "registry/store", "registry/transparency", "sdk", "sdk/enginefile", "sdk/formula", "sdk/request", "sdk/request/strictjson", "sdk/text", "sdk/units", "sdk/value", "versions"}},
	{pkg: "host/tools/system/openapitest"},
	{pkg: "host/tools/system/uswalk", imports: []string{"host/internal/tables/customary", "sdk", "sdk/formula", "sdk/units"}},
	{pkg: "host/cmd/slipstick", imports: []string{"host/internal/cli/help", "host/internal/cli/setting", "host/internal/cli/terminal", "host/internal/command", "host/internal/command/..."}, tests: []string{"host/internal/server"}},
	{pkg: "host/cmd/slipstick-mcp", imports: []string{"host/internal/archive/snapshot", "host/internal/calc", "host/internal/calc/catalog", "host/internal/cli/terminal", "host/internal/engine/pool", "host/internal/engine/sandbox", "host/internal/http/mcp", "host/internal/source"}},
	{pkg: "host/internal/command", imports: []string{"conformance/compat", "host/internal/archive/audit", "host/internal/archive/snapshot", "host/internal/archive/stored", "host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/cli/setting", "host/internal/cli/terminal", "host/internal/engine/pool", "host/internal/engine/process", "host/internal/engine/sandbox", "host/internal/queue", "host/internal/queue/shards", "host/internal/release/build", "host/internal/release/client", "host/internal/release/develop", "host/internal/release/rebuild", "host/internal/server", "host/internal/source", "host/internal/study", "host/internal/tables/table", "host/internal/tables/typed", "registry", "registry/remote", "registry/sign", "versions"}},
	{pkg: "host/internal/command/archive", imports: []string{"conformance/compat", "host/internal/archive/audit", "host/internal/archive/export", "host/internal/archive/ledger", "host/internal/archive/replay", "host/internal/archive/snapshot", "host/internal/archive/stored", "host/internal/archive/timestamp", "host/internal/calc", "host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/record", "host/internal/cli/setting", "host/internal/cli/terminal", "host/internal/command", "host/internal/engine/pool", "host/internal/engine/process", "host/internal/engine/sandbox", "host/internal/page/trust", "host/internal/platform/fetch", "host/internal/release/build", "host/internal/release/document", "host/internal/release/publish", "host/internal/source", "host/internal/study", "host/internal/tables/table", "host/internal/tables/typed", "registry", "registry/hostkeys", "registry/lockfile", "registry/regular", "sdk", "versions"}},
	{pkg: "host/internal/command/calc", imports: []string{"host/internal/calc", "host/internal/calc/batch", "host/internal/calc/problem", "host/internal/cli/terminal", "host/internal/command", "host/internal/engine/pool", "host/internal/http/mcp", "host/internal/platform/memory", "host/internal/queue/shards", "host/internal/study", "host/internal/tables/customary", "host/internal/tables/outputs", "host/internal/tables/table", "host/internal/tables/typed", "sdk/request/strictjson", "versions"}},
	{pkg: "host/internal/command/keys", imports: []string{"host/internal/archive/snapshot", "host/internal/cli/terminal", "host/internal/command", "registry/sign"}},
	{pkg: "host/internal/command/queue", imports: []string{"host/internal/calc/catalog", "host/internal/cli/terminal", "host/internal/command", "host/internal/engine/pool", "host/internal/platform/memory", "host/internal/queue", "host/internal/queue/shards", "host/internal/tables/table"}},
	{pkg: "host/internal/command/registry", imports: []string{"host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/shadow", "host/internal/cli/help", "host/internal/cli/terminal", "host/internal/command", "host/internal/source", "registry", "registry/evidence", "registry/remote", "registry/store", "registry/transparency", "sdk/verification"}},
	{pkg: "host/internal/command/release", imports: []string{"conformance/compat", "conformance/report", "conformance/requirements", "conformance/tables", "host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/cli/terminal", "host/internal/command", "host/internal/engine/process", "host/internal/engine/sandbox", "host/internal/platform/durable", "host/internal/release/build", "host/internal/release/client", "host/internal/release/develop", "host/internal/release/document", "host/internal/release/publish", "host/internal/release/rebuild", "host/internal/release/sbom", "host/internal/release/scaffold", "host/internal/release/spreadsheet", "registry", "registry/lockfile", "registry/store", "sdk", "sdk/enginefile", "sdk/preset", "sdk/text", "versions"}},
	{pkg: "host/internal/command/server", imports: []string{"host/internal/archive/ledger", "host/internal/archive/snapshot", "host/internal/cli/setting", "host/internal/cli/terminal", "host/internal/command", "host/internal/engine/process", "host/internal/engine/sandbox", "host/internal/http/limit", "host/internal/platform/redis", "host/internal/server", "host/internal/source", "registry", "sdk/preset"}},
	{pkg: "host/internal/cli/help", imports: []string{"docs", "sdk/spelling"}},
	{pkg: "host/internal/source/agree", imports: []string{"host/internal/platform/redis", "registry", "sdk", "versions"}},
	{pkg: "host/internal/study/analysis", imports: []string{"sdk"}},
	{pkg: "host/internal/http/api", imports: []string{"host/internal/archive/ledger", "host/internal/archive/share", "host/internal/archive/snapshot", "host/internal/calc", "host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/record", "host/internal/calc/shadow", "host/internal/http/limit", "host/internal/http/web", "host/internal/study", "host/internal/tables/columns", "host/internal/tables/customary", "host/internal/tables/outputs", "host/internal/tables/table", "host/internal/tables/typed", "registry/hostkeys", "registry/transparency", "sdk", "sdk/request", "sdk/request/strictjson", "sdk/response", "sdk/spelling", "sdk/units", "versions"}, tests: []string{"host/internal/http/web/conn", "registry", "sdk/formula", "sdk/value", "sdk/verification"}},
	{pkg: "host/internal/http/apidocs", imports: []string{"host/internal/http/web"}},
	{pkg: "host/internal/archive/audit", imports: []string{"conformance/compare", "host/internal/archive/ledger", "host/internal/archive/snapshot", "host/internal/calc", "host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/record", "host/internal/source", "host/internal/study", "host/internal/tables/table", "host/internal/tables/typed", "registry", "registry/evidence", "registry/hostkeys", "sdk", "sdk/request/strictjson", "sdk/value", "versions"}, tests: []string{"conformance/report", "sdk/formula", "sdk/response", "sdk/verification"}},
	{pkg: "host/internal/release/build"},
	{pkg: "host/internal/release/document", imports: []string{"host/internal/release/build", "sdk/enginefile", "sdk/text"}},
	{pkg: "host/internal/calc/batch", imports: []string{"host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/record", "sdk", "sdk/request", "sdk/request/strictjson", "sdk/response", "sdk/value", "versions"}, tests: []string{"registry"}},
	{pkg: "host/internal/calc/catalog", imports: []string{"host/internal/calc/problem", "registry", "registry/evidence", "sdk", "sdk/formula", "sdk/preset", "sdk/request", "sdk/request/strictjson", "sdk/spelling", "sdk/units", "sdk/value", "sdk/verification", "versions"}},
	{pkg: "host/internal/calc/problem", imports: []string{"host/internal/calc/record", "sdk", "sdk/request", "sdk/request/strictjson", "sdk/response", "sdk/spelling", "sdk/value", "versions"}},
	{pkg: "host/internal/calc/cache"},
	{pkg: "host/internal/calc", imports: []string{"conformance/proof", "host/internal/calc/cache", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/record", "sdk", "sdk/formula", "sdk/preset", "sdk/request", "sdk/request/strictjson", "sdk/response", "sdk/text", "sdk/value", "versions"}, tests: []string{"host/internal/calc/batch", "host/internal/calc/calctest", "registry", "registry/evidence", "sdk/wire/contract"}},
	{pkg: "host/internal/calc/calctest", imports: []string{"host/internal/calc", "host/internal/calc/catalog", "registry", "sdk", "sdk/enginefile", "sdk/response", "sdk/text", "sdk/value"}}, // for tests of interfaces
	{pkg: "host/internal/tables/columns"},
	{pkg: "host/internal/release/client", imports: []string{"registry", "registry/evidence", "registry/lockfile", "sdk", "sdk/units"}},
	{pkg: "host/internal/release/develop", imports: []string{"host/internal/release/publish"}},
	{pkg: "host/internal/platform/durable"},
	{pkg: "host/internal/archive/export", imports: []string{"conformance/compare", "host/internal/tables/columns", "host/internal/calc/record", "sdk", "sdk/request/strictjson", "sdk/response", "sdk/value"}},
	{pkg: "host/internal/http/feed", imports: []string{"host/internal/calc/catalog", "registry/sign"}, tests: []string{"registry", "registry/evidence", "sdk", "sdk/preset"}},
	{pkg: "host/internal/platform/fetch"},
	{pkg: "host/internal/release/git", imports: []string{"registry/regular"}},
	{pkg: "host/internal/archive/share", imports: []string{"host/internal/archive/snapshot", "host/internal/calc", "host/internal/calc/problem", "host/internal/study", "sdk", "sdk/response"}, tests: []string{"host/internal/platform/redis", "registry", "sdk/value"}},
	{pkg: "host/internal/engine/enginetest"},
	{pkg: "host/internal/engine/sandbox", imports: []string{"host/internal/engine/sandbox/shim", "host/internal/engine/process"}, tests: []string{"host/internal/engine/enginetest", "host/internal/engine/pool", "host/internal/platform/memory", "host/internal/platform/telemetry", "registry", "sdk", "sdk/response", "sdk/value"}},
	{pkg: "host/internal/engine/sandbox/shim"},
	{pkg: "host/internal/archive/ledger", imports: []string{"host/internal/calc/record", "host/internal/platform/durable", "registry/regular"}, tests: []string{"registry/hostkeys", "sdk/value"}},
	{pkg: "host/internal/http/limit", imports: []string{"host/internal/platform/redis"}},
	{pkg: "host/internal/http/mcp", imports: []string{"conformance/vector", "host/internal/archive/share", "host/internal/archive/snapshot", "host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/http/limit", "host/internal/http/search", "host/internal/http/web", "host/internal/study", "host/internal/tables/customary", "host/internal/tables/outputs", "sdk", "sdk/request", "sdk/request/strictjson", "sdk/response", "sdk/verification", "versions"}, tests: []string{"host/internal/calc/calctest", "host/internal/http/api", "registry", "sdk/value"}},
	{pkg: "host/internal/platform/memory"},
	{pkg: "host/internal/http/openapi", imports: []string{"conformance/compare", "conformance/vector", "host/internal/archive/ledger", "host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/shadow", "host/internal/http/api", "host/internal/http/feed", "host/internal/study", "registry/hostkeys", "registry/transparency", "sdk", "sdk/request", "sdk/request/strictjson", "sdk/response", "sdk/units", "sdk/verification", "versions"}, tests: []string{"host/internal/archive/snapshot", "registry", "sdk/formula", "sdk/value"}},
	{pkg: "host/internal/tables/customary", imports: []string{"sdk", "sdk/formula", "sdk/units", "sdk/value"}},
	{pkg: "host/internal/tables/outputs", imports: []string{"host/internal/calc", "host/internal/tables/customary", "host/internal/tables/typed", "sdk", "sdk/formula", "sdk/request", "sdk/response", "sdk/spelling", "sdk/units", "sdk/value", "sdk/visible"}},
	{pkg: "host/internal/page", imports: []string{"host/internal/archive/snapshot", "host/internal/calc", "host/internal/calc/problem", "host/internal/calc/shadow", "host/internal/http/web", "host/internal/page/about", "host/internal/page/calculator", "host/internal/page/docs", "host/internal/page/index", "host/internal/page/site", "host/internal/page/tables", "host/internal/page/trust", "host/internal/page/vary"}, tests: []string{"conformance/compare", "docs", "host/internal/archive/share", "host/internal/calc/calctest", "host/internal/calc/catalog", "host/internal/http/api", "host/internal/http/apidocs", "host/internal/http/limit", "host/internal/http/mcp", "host/internal/http/openapi", "host/internal/page/address", "host/internal/page/show", "host/internal/page/wording", "host/internal/tables/customary", "registry", "registry/evidence", "registry/sign", "sdk", "sdk/formula", "sdk/preset", "sdk/request", "sdk/request/strictjson", "sdk/response", "sdk/text", "sdk/value", "sdk/verification", "versions"}},
	{pkg: "host/internal/page/about", imports: []string{"conformance/report", "conformance/vector", "host/internal/archive/snapshot", "host/internal/calc", "host/internal/calc/cache", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/page/address", "host/internal/page/site", "host/internal/page/wording", "host/internal/tables/customary", "host/internal/tables/typed", "sdk", "sdk/formula", "sdk/request/strictjson", "sdk/units", "versions"}},
	{pkg: "host/internal/page/address", imports: []string{"host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/page/site", "host/internal/page/wording", "host/internal/tables/customary", "host/internal/tables/typed", "sdk", "sdk/formula", "sdk/preset", "sdk/request", "sdk/request/strictjson", "sdk/spelling", "sdk/units", "sdk/value", "versions"}},
	{pkg: "host/internal/page/calculator", imports: []string{"conformance/report", "host/internal/archive/share", "host/internal/archive/snapshot", "host/internal/calc", "host/internal/calc/cache", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/http/limit", "host/internal/http/web", "host/internal/page/about", "host/internal/page/address", "host/internal/page/plot", "host/internal/page/show", "host/internal/page/site", "host/internal/page/take", "host/internal/page/trust", "host/internal/page/vary", "host/internal/page/wording", "host/internal/tables/customary", "host/internal/tables/outputs", "host/internal/tables/typed", "sdk", "sdk/formula", "sdk/preset", "sdk/request/strictjson", "sdk/response", "sdk/units", "sdk/value", "sdk/verification", "versions"}},
	{pkg: "host/internal/page/formula"},
	{pkg: "host/internal/page/index", imports: []string{"host/internal/calc/catalog", "host/internal/http/search", "host/internal/http/web", "host/internal/page/address", "host/internal/page/show", "host/internal/page/site", "host/internal/page/wording", "sdk", "sdk/formula", "sdk/units"}},
	{pkg: "host/internal/page/plot", imports: []string{"sdk", "sdk/formula", "sdk/value", "sdk/visible"}, tests: []string{"host/internal/page/plot/plottest"}},
	{pkg: "host/internal/page/plot/plottest"}, // for tests of pictures
	{pkg: "host/internal/page/show", imports: []string{"host/internal/calc/problem", "host/internal/page/address", "host/internal/page/wording", "host/internal/tables/customary", "host/internal/tables/typed", "sdk", "sdk/formula", "sdk/request/strictjson", "sdk/response", "sdk/units", "sdk/value"}},
	{pkg: "host/internal/page/site", imports: []string{"host/internal/calc", "host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/http/feed", "host/internal/http/limit", "host/internal/http/search", "host/internal/http/web", "host/internal/page/formula", "host/internal/page/plot", "host/internal/page/wording", "host/internal/tables/customary", "sdk", "sdk/verification", "versions"}},
	{pkg: "host/internal/page/docs", imports: []string{"docs", "host/internal/http/web", "host/internal/page/site"}, tests: []string{"docs"}},
	{pkg: "host/internal/page/tables", imports: []string{"host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/http/limit", "host/internal/http/web", "host/internal/page/about", "host/internal/page/address", "host/internal/page/show", "host/internal/page/site", "host/internal/page/trust", "host/internal/page/wording", "host/internal/tables/customary", "host/internal/tables/table", "host/internal/tables/typed", "sdk", "sdk/formula", "sdk/preset", "versions"}},
	{pkg: "host/internal/page/take", imports: []string{"sdk/visible"}},
	{pkg: "host/internal/page/trust", imports: []string{"conformance/compare", "conformance/report", "conformance/vector", "host/internal/archive/replay", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/shadow", "host/internal/http/web", "host/internal/page/about", "host/internal/page/address", "host/internal/page/plot", "host/internal/page/site", "host/internal/page/wording", "sdk", "sdk/request/strictjson", "sdk/verification", "versions"}},
	{pkg: "host/internal/page/vary", imports: []string{"conformance/compare", "host/internal/archive/snapshot", "host/internal/calc", "host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/http/limit", "host/internal/http/web", "host/internal/page/about", "host/internal/page/address", "host/internal/page/plot", "host/internal/page/show", "host/internal/page/site", "host/internal/page/trust", "host/internal/page/wording", "host/internal/study", "host/internal/study/analysis", "host/internal/tables/customary", "host/internal/tables/typed", "sdk", "sdk/formula", "sdk/request", "sdk/request/strictjson", "sdk/units", "sdk/value", "sdk/visible", "versions"}},
	{pkg: "host/internal/page/wording", imports: []string{"host/internal/tables/customary", "sdk", "sdk/formula", "sdk/request", "sdk/units", "sdk/value"}},
	{pkg: "host/internal/engine/pool", imports: []string{"host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/engine/process", "host/internal/engine/sandbox", "host/internal/platform/telemetry", "registry", "registry/evidence", "registry/regular", "sdk", "sdk/response", "sdk/value"}, tests: []string{"host/internal/engine/enginetest", "sdk/enginefile", "sdk/wire"}},
	{pkg: "host/internal/engine/process", imports: []string{"sdk", "sdk/document", "sdk/enginefile", "sdk/response", "sdk/value", "sdk/visible", "sdk/wire/contract", "sdk/wire/socket"}, tests: []string{"host/internal/engine/enginetest", "sdk/wire"}},
	{pkg: "host/internal/release/publish", imports: []string{"conformance", "conformance/compat", "conformance/report", "conformance/requirements", "conformance/tables", "conformance/vector", "host/internal/engine/process", "host/internal/release/build", "host/internal/release/document", "host/internal/release/tree", "registry", "registry/evidence", "registry/provenance", "sdk", "sdk/enginefile", "sdk/formula", "sdk/preset", "sdk/request", "sdk/request/strictjson", "sdk/text", "sdk/verification", "versions"}},
	{pkg: "host/internal/queue", imports: []string{"host/internal/calc", "host/internal/calc/catalog", "host/internal/platform/durable", "host/internal/platform/fetch", "host/internal/queue/shards", "registry/regular"}},
	{pkg: "host/internal/release/rebuild", imports: []string{"host/internal/release/build", "host/internal/release/git", "host/internal/release/tree", "registry", "registry/evidence", "registry/provenance", "registry/regular", "sdk/enginefile"}, tests: []string{"sdk"}},
	{pkg: "host/internal/calc/record", imports: []string{"conformance/compare", "sdk", "sdk/request/strictjson", "sdk/value", "versions"}},
	{pkg: "host/internal/archive/recheck", imports: []string{"conformance", "conformance/compare", "conformance/proof", "conformance/vector", "host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/record", "sdk", "sdk/response", "sdk/text", "sdk/value"}, tests: []string{"registry", "registry/evidence"}},
	{pkg: "host/internal/platform/redis"},
	{pkg: "host/internal/release/spdx"},
	{pkg: "host/internal/release/sbom", imports: []string{"host/internal/release/spdx", "host/internal/release/tree", "registry", "registry/evidence"}, tests: []string{"sdk"}},
	{pkg: "host/internal/archive/replay", imports: []string{"conformance/compare", "conformance/report", "host/internal/archive/stored", "host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/record", "host/internal/tables/table", "registry", "registry/evidence", "sdk", "sdk/request", "sdk/value"}, tests: []string{"host/internal/archive/ledger"}},
	{pkg: "host/internal/release/spreadsheet", imports: []string{"sdk/formula", "sdk/text", "sdk/units"}, tests: []string{"conformance", "sdk", "sdk/request", "sdk/request/strictjson", "sdk/value"}},
	{pkg: "host/internal/release/scaffold", imports: []string{"conformance/requirements", "sdk"}},
	{pkg: "host/internal/http/search", imports: []string{"host/internal/calc/catalog", "host/internal/tables/typed", "sdk", "sdk/formula", "sdk/spelling", "sdk/units"}, tests: []string{"registry"}},
	{pkg: "host/internal/server", imports: []string{"docs", "host/internal/archive/ledger", "host/internal/archive/recheck", "host/internal/archive/snapshot", "host/internal/archive/timestamp", "host/internal/calc", "host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/shadow", "host/internal/engine/pool", "host/internal/engine/process", "host/internal/engine/sandbox", "host/internal/http/api", "host/internal/http/apidocs", "host/internal/http/limit", "host/internal/http/mcp", "host/internal/http/openapi", "host/internal/http/web", "host/internal/http/web/conn", "host/internal/page", "host/internal/platform/memory", "host/internal/platform/redis", "host/internal/platform/telemetry", "host/internal/source", "host/internal/source/agree", "registry"}, tests: []string{"conformance/report", "registry/evidence", "sdk/document"}},
	{pkg: "host/internal/cli/setting", imports: []string{"sdk/spelling"}},
	{pkg: "host/internal/queue/shards", imports: []string{"host/internal/calc", "host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/platform/durable", "host/internal/release/build", "host/internal/tables/columns", "host/internal/tables/table", "host/internal/tables/typed", "registry", "registry/documents", "registry/evidence", "registry/regular", "sdk", "versions"}, tests: []string{"sdk/preset", "sdk/response", "sdk/value"}},
	{pkg: "host/internal/calc/shadow", imports: []string{"conformance/compare", "host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/record", "host/internal/platform/fetch", "registry/evidence", "sdk/response", "sdk/value"}, tests: []string{"registry", "sdk"}},
	{pkg: "host/internal/archive/snapshot", imports: []string{"host/internal/platform/durable", "host/internal/platform/redis", "registry/hostkeys", "registry/regular"}},
	{pkg: "host/internal/source", imports: []string{"host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/platform/fetch", "host/internal/platform/telemetry", "host/internal/source/agree", "registry", "registry/evidence", "registry/hostkeys", "registry/lockfile", "registry/regular", "registry/remote", "registry/sign", "registry/store", "registry/transparency", "sdk", "sdk/document", "sdk/preset"}},
	{pkg: "host/internal/archive/stored", imports: []string{"conformance/compare", "host/internal/archive/export", "host/internal/archive/ledger", "host/internal/archive/snapshot", "host/internal/calc/catalog", "host/internal/calc/record", "host/internal/queue/shards", "host/internal/tables/table", "sdk", "sdk/request", "sdk/request/strictjson", "sdk/value"}},
	{pkg: "host/internal/study", imports: []string{"host/internal/calc", "host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/study/analysis", "host/internal/tables/customary", "host/internal/tables/outputs", "host/internal/tables/typed", "sdk", "sdk/request", "sdk/request/strictjson", "sdk/response", "sdk/units", "sdk/value", "sdk/visible", "versions"}, tests: []string{"registry"}},
	{pkg: "host/internal/tables/table", imports: []string{"conformance/compare", "host/internal/calc", "host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/record", "host/internal/platform/durable", "host/internal/tables/columns", "host/internal/tables/customary", "host/internal/tables/outputs", "host/internal/tables/typed", "sdk", "sdk/formula", "sdk/request", "sdk/request/strictjson", "sdk/spelling", "sdk/units", "sdk/value", "sdk/visible", "versions"}, tests: []string{"registry", "sdk/response"}},
	{pkg: "host/internal/platform/telemetry"},
	{pkg: "host/internal/cli/terminal", imports: []string{"conformance/compare", "conformance/report", "conformance/requirements", "conformance/tables", "host/internal/archive/audit", "host/internal/archive/ledger", "host/internal/archive/replay", "host/internal/archive/snapshot", "host/internal/calc", "host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/calc/record", "host/internal/calc/shadow", "host/internal/engine/sandbox", "host/internal/queue", "host/internal/queue/shards", "host/internal/release/build", "host/internal/release/publish", "host/internal/release/rebuild", "host/internal/source", "host/internal/study", "host/internal/tables/outputs", "registry", "registry/evidence", "registry/provenance", "registry/transparency", "sdk", "sdk/formula", "sdk/preset", "sdk/response", "sdk/value", "sdk/verification", "sdk/visible"}, tests: []string{"host/internal/calc/calctest", "registry/hostkeys", "registry/sign", "sdk/request/strictjson"}},
	{pkg: "host/internal/release/tree", imports: []string{"host/internal/release/build", "host/internal/release/git", "registry/provenance"}},
	{pkg: "host/internal/archive/timestamp"},
	{pkg: "host/internal/tables/typed", imports: []string{"sdk", "sdk/formula", "sdk/request", "sdk/request/strictjson", "sdk/units", "sdk/value"}},
	{pkg: "host/internal/http/web", imports: []string{"host/internal/calc", "host/internal/calc/batch", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/http/limit", "host/internal/platform/telemetry", "sdk/request/strictjson", "versions"}},
	{pkg: "host/internal/http/web/conn", imports: []string{"host/internal/http/limit", "host/internal/http/web"}, tests: []string{"host/internal/calc", "host/internal/calc/catalog", "host/internal/calc/problem", "host/internal/http/api", "host/internal/platform/telemetry", "registry", "sdk", "sdk/response", "sdk/value", "sdk/verification"}},
	{pkg: "host/tools/words", tests: []string{"docs"}},
}

// transporting are the two ends of the process boundary and the contract between them. They
// alone may import transport.
var transporting = []string{"sdk/wire", "sdk/wire/contract", "host/internal/engine/process"}

var transport = []string{"github.com/hashicorp/go-plugin", "google.golang.org/grpc", "google.golang.org/protobuf"}

type listed struct {
	ImportPath, Name, Dir              string
	Imports, TestImports, XTestImports []string
}

// list returns the packages of a module.
func list(t *testing.T, module string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,Dir,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = filepath.Join("..", "..", module)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list in %s: %v\n%s", module, err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var packages []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// fits reports whether a package matches the name in a rule.
func fits(pattern, pkg string) bool {
	prefix, below := strings.CutSuffix(pattern, "/...")
	return pkg == pattern || below && strings.HasPrefix(pkg, prefix+"/")
}

// violations returns the imports of a package that the rules do not allow.
func violations(p listed) []string {
	name := strings.TrimPrefix(p.ImportPath, workspace)
	var allowed, inTests []string
	known := false
	for _, r := range rules {
		known = fits(r.pkg, name)
		if known {
			allowed, inTests = r.imports, slices.Concat(r.imports, r.tests, []string{name})
			break
		}
	}
	if !known {
		return []string{name + " has no rule: add one with its allowed imports"}
	}
	var bad []string
	check := func(imports, allowed []string, what string) {
		for _, imported := range imports {
			ours, isOurs := strings.CutPrefix(imported, workspace)
			if isOurs && !slices.ContainsFunc(allowed, func(pattern string) bool { return fits(pattern, ours) }) {
				bad = append(bad, name+what+" imports "+ours)
			}
			if !isOurs && !slices.Contains(transporting, name) && what == "" &&
				slices.ContainsFunc(transport, func(prefix string) bool { return strings.HasPrefix(imported, prefix) }) {
				bad = append(bad, name+" imports "+imported)
			}
		}
	}
	check(p.Imports, allowed, "")
	check(slices.Concat(p.TestImports, p.XTestImports), inTests, "'s test")
	return bad
}

// systems are the allowed build tags below internal: platforms and build modes. A file with another tag would
// be a fixture in the service that no test of the released program compiles.
var systems = []string{"linux", "darwin", "windows", "unix", "amd64", "arm64", "race", "cgo"}

// misplaced returns programs below internal, and files there with a build tag of this workspace. A program for
// tests belongs below testdata, and a fixture belongs into a test.
func misplaced(p listed, tags []string) []string {
	name := strings.TrimPrefix(p.ImportPath, workspace)
	if !slices.Contains(strings.Split(name, "/"), "internal") {
		return nil
	}
	var bad []string
	if p.Name == "main" {
		bad = append(bad, name+" is a program below internal")
	}
	for _, tag := range tags {
		if !slices.Contains(systems, tag) {
			bad = append(bad, name+" has a file with the build tag "+tag)
		}
	}
	return bad
}

// tagsOf returns the build tags in the files of a directory.
func tagsOf(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\npackage ")
		for line := range strings.Lines(head) {
			if !constraint.IsGoBuild(line) {
				continue
			}
			expr, err := constraint.Parse(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			expr.Eval(func(tag string) bool { tags = append(tags, tag); return true })
		}
	}
	return tags
}

func TestImports(t *testing.T) {
	for _, module := range modules {
		for _, p := range list(t, module) {
			for _, v := range slices.Concat(violations(p), misplaced(p, tagsOf(t, p.Dir))) {
				t.Error(v)
			}
		}
	}
}

// Package main of slipstick has flags, wording and calls. Each of its files imports at most one package below
// host/internal/command, and no other module but kong.
func TestCommandFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "host", "cmd", "slipstick", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		var imported []string
		for _, spec := range parsed.Imports {
			imported = append(imported, strings.Trim(spec.Path.Value, `"`))
		}
		for _, fault := range commandFaults(imported) {
			t.Errorf("%s %s", filepath.Base(file), fault)
		}
	}
}

// commandFaults returns the faults in the imports of a file of slipstick's package main.
func commandFaults(imported []string) []string {
	var bad, commands []string
	for _, path := range imported {
		first, _, _ := strings.Cut(path, "/")
		if strings.HasPrefix(path, workspace+"host/internal/command/") {
			commands = append(commands, strings.TrimPrefix(path, workspace))
		}
		if strings.Contains(first, ".") && !strings.HasPrefix(path, workspace) && path != "github.com/alecthomas/kong" {
			bad = append(bad, "imports "+path)
		}
	}
	if len(commands) > 1 {
		bad = append(bad, "imports several packages of commands: "+strings.Join(commands, ", "))
	}
	return bad
}

// starters are the packages that start programs which read untrusted source. Each package does so in one
// function, which prevents that the program executes the source.
var starters = map[string]string{"go": "host/internal/release/build", "git": "host/internal/release/git"}

// started returns the programs of starters that a file starts.
func started(t *testing.T, file string) (programs []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(f.Sel.Name, "Command") {
			for _, arg := range call.Args {
				if text, ok := arg.(*ast.BasicLit); ok && starters[strings.Trim(text.Value, `"`)] != "" {
					programs = append(programs, strings.Trim(text.Value, `"`))
				}
			}
		}
		return true
	})
	return programs
}

// Only one function starts Go, and only one starts Git. The rule does not apply to the tools of this repository
// (host/tools/release and others), because they run only on this repository. It does not apply to tests.
func TestOneStarter(t *testing.T) {
	found := map[string]int{}
	for _, p := range list(t, "host") {
		name := strings.TrimPrefix(p.ImportPath, workspace)
		if !strings.HasPrefix(name, "host/internal/") && name != "host/cmd/slipstick" || strings.HasSuffix(name, "test") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, program := range started(t, file) {
				found[program]++
				if starters[program] != name {
					t.Errorf("%s starts %s, which only %s can do", file, program, starters[program])
				}
			}
		}
	}
	for program, pkg := range starters {
		if found[program] != 1 {
			t.Errorf("%s starts %s in %d places, want one", pkg, program, found[program])
		}
	}
}

// violations finds forbidden imports.
func TestViolations(t *testing.T) {
	for _, tt := range []struct {
		p    listed
		want int
	}{
		{listed{ImportPath: workspace + "versions", Imports: []string{"strings"}}, 0},
		{listed{ImportPath: workspace + "versions", Imports: []string{workspace + "sdk"}}, 1},
		{listed{ImportPath: workspace + "sdk", Imports: []string{"google.golang.org/grpc"}}, 1},
		{listed{ImportPath: workspace + "sdk/wire", Imports: []string{"google.golang.org/grpc", workspace + "sdk"}}, 0},
		{listed{ImportPath: workspace + "plugins/thermo/radiation/grey_surface", Imports: []string{workspace + "host/internal/calc"}}, 1},
		{listed{ImportPath: workspace + "plugins/thermo/radiation/grey_surface", Imports: []string{workspace + "plugins/internal/exact"}}, 0},
		{listed{ImportPath: workspace + "plugins/thermo/radiation/grey_surface", XTestImports: []string{workspace + "conformance"}}, 0},
		{listed{ImportPath: workspace + "plugins/thermo/radiation/grey_surface", Imports: []string{workspace + "conformance"}}, 1},
		{listed{ImportPath: workspace + "host/internal/http/api", Imports: []string{workspace + "host/internal/engine/pool"}}, 1},
		{listed{ImportPath: workspace + "somewhere"}, 1},
		{listed{ImportPath: workspace + "host/cmd/slipstick", Imports: []string{workspace + "host/internal/command/queue"}}, 0},
		{listed{ImportPath: workspace + "host/cmd/slipstick", Imports: []string{workspace + "host/internal/queue"}}, 1},
	} {
		if got := violations(tt.p); len(got) != tt.want {
			t.Errorf("%s: violations %v, want %d", tt.p.ImportPath, got, tt.want)
		}
	}
}

func TestCommandFaults(t *testing.T) {
	one, other := workspace+"host/internal/command/queue", workspace+"host/internal/command/release"
	for _, tt := range []struct {
		imported []string
		want     int
	}{
		{[]string{"os", "github.com/alecthomas/kong", workspace + "host/internal/command", one}, 0},
		{[]string{one, other}, 1},
		{[]string{"github.com/nats-io/nats.go"}, 1},
	} {
		got := commandFaults(tt.imported)
		if len(got) != tt.want {
			t.Errorf("%v: %v", tt.imported, got)
		}
	}
}

// misplaced finds programs and fixtures below internal.
func TestMisplaced(t *testing.T) {
	for _, tt := range []struct {
		path, name string
		tags       []string
		want       int
	}{
		{"host/internal/engine/sandbox", "sandbox", []string{"linux", "arm64"}, 0},
		{"host/internal/http/mcp", "mcp", []string{"mcpfixtures"}, 1},
		{"host/internal/bench", "main", nil, 1},
		{"host/tools/bench/internal/engine", "main", nil, 1},
		{"host/tools/bench", "main", []string{"profile"}, 0},
	} {
		if got := misplaced(listed{ImportPath: workspace + tt.path, Name: tt.name}, tt.tags); len(got) != tt.want {
			t.Errorf("%s: %v, want %d", tt.path, got, tt.want)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("// A.\n\n//go:build linux && !soak\n\npackage a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := tagsOf(t, dir); !slices.Equal(got, []string{"linux", "soak"}) {
		t.Errorf("tags %v", got)
	}
}
