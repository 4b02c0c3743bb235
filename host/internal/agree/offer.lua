-- Stores commits that are newer than what is stored.
-- KEYS: current, changes, counter
-- ARGV: capability and commit, again and again
local function read(text)
  if not text then return nil end
  local generation, order = string.match(text, '^(%d+) (%d+) %d+ %S+ %S+$')
  generation, order = tonumber(generation), tonumber(order)
  if not generation or generation > 4503599627370496 then return nil end
  return {generation = generation, order = order}
end
local stored = 0
for i = 1, #ARGV, 2 do
  local was, next = read(redis.call('HGET', KEYS[1], ARGV[i])), read(ARGV[i + 1])
  local newer = true
  if not next then
    newer = false
  elseif was and was.order > 0 and next.order > 0 and was.order ~= next.order then
    newer = next.order > was.order
  elseif was then
    newer = next.generation > was.generation
  end
  if newer then
    local text = ARGV[i + 1]
    if was and next.generation <= was.generation then
      text = string.format('%.0f', was.generation + 1) .. string.match(text, '^%d+(.*)$')
    end
    redis.call('HSET', KEYS[1], ARGV[i], text)
    redis.call('ZADD', KEYS[2], redis.call('INCR', KEYS[3]), ARGV[i])
    stored = stored + 1
  end
end
return stored
