-- Keeps the first digest of every version, and returns those that are others: place in the
-- list, counted from 0, and what is kept.
-- KEYS: digests
-- ARGV: version and digest, again and again
local others = {}
for i = 1, #ARGV, 2 do
  if redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[i + 1]) == 0 then
    local first = redis.call('HGET', KEYS[1], ARGV[i])
    if string.match(first, '^%S+') ~= string.match(ARGV[i + 1], '^%S+') then
      others[#others + 1] = string.format('%.0f', (i - 1) / 2)
      others[#others + 1] = string.sub(first, 1, 200)
    end
  end
end
return others
