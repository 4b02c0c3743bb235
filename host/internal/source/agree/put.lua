-- Puts values into a hash, each in place of the one that the server has read, and returns the
-- values that the hash has instead.
-- KEYS: hash; and changes and counter, if the hash is that of commits
-- ARGV: most bytes of a value, then name, value that was read ('' for none) and new value, again and again
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
