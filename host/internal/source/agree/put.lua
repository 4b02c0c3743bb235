-- Stores values in a hash, each only if the hash still has the value that the server has read. Returns
-- the present values of the other names.
-- KEYS: hash. The hash of commits also needs changes and counter.
-- ARGV: maximum bytes of a value. Each entry follows with its name, the value that was read ('' for none),
--       and the new value.
local others = {}
for i = 2, #ARGV, 3 do
  local is = redis.call('HGET', KEYS[1], ARGV[i])
  if not is or #is > tonumber(ARGV[1]) then is = '' end
  if is == ARGV[i + 1] then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
    if KEYS[2] then redis.call('ZADD', KEYS[2], redis.call('INCR', KEYS[3]), ARGV[i]) end
  else
    others[#others + 1] = ARGV[i]
    others[#others + 1] = is
  end
end
return others
