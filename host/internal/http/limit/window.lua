-- Decides on one call.
--   KEYS[1]  the times of the accepted calls that can still count, oldest first
--   ARGV     the limit, and the window in microseconds.
-- Returns 1 if the call is accepted, and how many calls count then.
-- Also returns the microseconds until one more call is accepted than now.
-- Times are microseconds of the server's clock.
local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

local function at(i)
  local t = redis.call('LINDEX', key, i)
  return t and (tonumber(t) or 0)
end

local function future(t)
  return t and not (t <= now) -- true of what is not a number, too
end

local function push(t)
  redis.call('RPUSH', key, string.format('%.0f', t))
end

local function expire()
  redis.call('PEXPIRE', key, window / 1000 + 1000)
end

-- The clock was set back: such calls count from now on, so that they count for no
-- longer than a window.
if future(at(0)) or future(at(-1)) then
  local times = redis.call('LRANGE', key, 0, -1)
  redis.call('DEL', key)
  for _, t in ipairs(times) do
    t = tonumber(t) or 0
    if future(t) then t = now end
    push(t)
  end
  expire()
end

local oldest = at(0)
while oldest and oldest <= now - window do
  redis.call('LPOP', key)
  oldest = at(0)
end

local accepted, used = 0, redis.call('LLEN', key)
if used < limit then
  push(now)
  expire()
  accepted, used = 1, used + 1
end
return {accepted, used, at(math.max(used - limit, 0)) + window - now}
