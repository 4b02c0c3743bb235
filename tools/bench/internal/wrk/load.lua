-- One load of the bench. The first arguments are the kind of inputs (unique or repeated), the digits of this run, and
-- the pattern of the inputs. Then follow the paths, joined by commas, the number of client addresses, and the
-- encodings that the client accepts. Requests are strings built by hand, because wrk shares the machine with the
-- server.

local threads = 0

function setup(thread)
	threads = threads + 1
	thread:set("number", threads)
end

-- Without a request function wrk sends the same bytes repeatedly.
local function repeated(paths, pattern, run, clients, accepts)
	local inputs = pattern:gsub("#", run .. "00000000")
	wrk.method, wrk.path, wrk.body = "POST", paths[1], inputs
	wrk.headers["Content-Type"] = "application/json"
	if accepts ~= "" then
		wrk.headers["Accept-Encoding"] = accepts
	end
end

local function unique(paths, pattern, run, clients, accepts)
	local piece = {}
	for text in (pattern .. "#"):gmatch("([^#]*)#") do
		piece[#piece + 1] = text
	end
	assert(#piece == 9, "the pattern has eight places for digits")
	local p1, p2, p3, p4, p5, p6, p7, p8, p9 = unpack(piece)
	local length = #pattern + 8 * (11 - 1)
	local head = {}
	for i = 1, math.max(#paths, clients) do
		head[i] = "POST " .. paths[(i - 1) % #paths + 1] .. " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port
		if clients > 0 then
			head[i] = head[i] .. "\r\nX-Forwarded-For: 10.0." .. math.floor(i / 256) .. "." .. i % 256
		end
		if accepts ~= "" then
			head[i] = head[i] .. "\r\nAccept-Encoding: " .. accepts
		end
		head[i] = head[i] .. "\r\nContent-Type: application/json\r\nContent-Length: " .. length .. "\r\n\r\n" .. p1
	end
	local mine, count, at, last = run .. number, 1000000, number, #head
	function request()
		count = count + 1
		at = at + 1
		if at > last then
			at = 1
		end
		local d = mine .. count
		return head[at] .. d .. p2 .. d .. p3 .. d .. p4 .. d .. p5 .. d .. p6 .. d .. p7 .. d .. p8 .. d .. p9
	end
end

function init(args)
	local paths = {}
	for path in args[4]:gmatch("[^,]+") do
		paths[#paths + 1] = path
	end
	local kinds = { unique = unique, repeated = repeated }
	kinds[args[1]](paths, args[3], args[2], tonumber(args[5]), args[6] or "")
end

function done(summary, latency)
	local e = summary.errors
	io.write(string.format(
		'sample {"requests":%d,"micros":%d,"p50":%d,"p99":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}\n',
		summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
		e.connect, e.read, e.write, e.timeout, e.status))
end
