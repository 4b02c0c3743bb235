-- Marks a server as alive, removes dead servers, and returns the changes.
--
-- The keys are alive, `hosts`, current, changes, counter and epoch.
--
-- The arguments are the id, the record ('' to read only), and the time in ms until a server counts as dead.
-- The new epoch, the known epoch and the known counter follow. The other arguments are limits: servers,
-- changes, bytes of a record and bytes of a commit.
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('SETNX', KEYS[6], ARGV[4])
local epoch = redis.call('GET', KEYS[6])

if ARGV[2] ~= '' then
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
end
local function forget(from, to)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], from, to, 'LIMIT', 0, ARGV[7])) do
    redis.call('ZREM', KEYS[1], id)
    redis.call('HDEL', KEYS[2], id)
  end
end
forget('-inf', string.format('(%.0f', now - ARGV[3]))
forget(string.format('(%.0f', now + ARGV[3]), '+inf') -- the clock was set back

local hosts = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, ARGV[7] - 1)) do
  local record = redis.call('HGET', KEYS[2], id)
  if record and #id <= 64 and #record <= tonumber(ARGV[9]) then
    hosts[#hosts + 1] = id
    hosts[#hosts + 1] = record
  end
end

local counter = tonumber(redis.call('GET', KEYS[5])) or 0
local since = tonumber(ARGV[6])
if epoch ~= ARGV[5] or counter < since then since = 0 end
local changes, last = {}, since
local found = redis.call('ZRANGEBYSCORE', KEYS[4], string.format('(%.0f', since), '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[8])
for i = 1, #found, 2 do
  local commit = redis.call('HGET', KEYS[3], found[i])
  if commit and #found[i] <= 200 and #commit <= tonumber(ARGV[10]) then
    changes[#changes + 1] = found[i]
    changes[#changes + 1] = commit
  end
  last = tonumber(found[i + 1])
end
if #found < 2 * ARGV[8] then last = counter end
return {string.format('%.0f', now), epoch, string.format('%.0f', last), string.format('%.0f', counter), hosts, changes}
