"""The changes of a room in Redis, in Lua: each runs as a whole, whichever server asks for it.

A room's keys end with it. ``room``: a hash of the presenter's ``key``, the ``revision``, and for each kind of message
its latest, ``latest:KIND``, as "REVISION TEXT". ``answers``: a hash from listeners to texts. ``tally``: how often each
text was given. ``answered``: how many answers came from each address. ``replicas``: the servers with listeners; a
server's listeners are a hash of its own, which expires unless the server renews it.
"""

from typing import Final

OPEN: Final = """
local room, rooms = KEYS[1], KEYS[2]
local code, key, lifetime, most = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', rooms, '-inf', now)
if redis.call('EXISTS', room) == 1 then return 'taken' end
if redis.call('ZCARD', rooms) >= most then return 'full' end
redis.call('HSET', room, 'key', key)
redis.call('EXPIRE', room, lifetime)
redis.call('ZADD', rooms, now + lifetime, code)
return 'opened'
"""

PUBLISH: Final = """
local room, answers, tally, answered = unpack(KEYS)
local code, kind, text, drops, channel = unpack(ARGV)
if redis.call('EXISTS', room) == 0 then return 0 end
if drops == '1' then redis.call('DEL', answers, tally, answered) end
local last = redis.call('HGET', room, 'latest:' .. kind)
if last then
  local space = string.find(last, ' ', 1, true)
  if string.sub(last, space + 1) == text then return tonumber(string.sub(last, 1, space - 1)) end
end
local revision = redis.call('HINCRBY', room, 'revision', 1)
redis.call('HSET', room, 'latest:' .. kind, revision .. ' ' .. text)
redis.call('PUBLISH', channel, code)
return revision
"""

ANSWER: Final = """
local room, answers, tally, answered, replicas, left = unpack(KEYS)
local code, listener, text, address, question, most, per_address, streams, channel = unpack(ARGV)
local asked = redis.call('HGET', room, 'latest:question')
if not asked then return 'ended' end
if string.sub(asked, 1, #question + 1) ~= question .. ' ' then return 'closed' end
local listens = redis.call('EXISTS', left) == 1
if not listens then
  for _, replica in ipairs(redis.call('SMEMBERS', replicas)) do
    listens = listens or redis.call('HEXISTS', streams .. replica, listener) == 1
  end
end
if not listens then return 'absent' end
local last = redis.call('HGET', answers, listener)
if last == text then return 'stored' end
if not last then
  if redis.call('HLEN', answers) >= tonumber(most) then return 'full' end
  if tonumber(redis.call('HGET', answered, address) or 0) >= tonumber(per_address) then return 'crowded' end
  redis.call('HINCRBY', answered, address, 1)
elseif redis.call('HINCRBY', tally, last, -1) == 0 then
  redis.call('HDEL', tally, last)
end
redis.call('HSET', answers, listener, text)
redis.call('HINCRBY', tally, text, 1)
local rest = redis.call('PTTL', room)
for _, name in ipairs({answers, tally, answered}) do redis.call('PEXPIRE', name, rest) end
redis.call('PUBLISH', channel, code)
return 'stored'
"""

COUNTS: Final = """
local tally, replicas = unpack(KEYS)
local streams = ARGV[1]
local listeners, known = 0, {}
for _, replica in ipairs(redis.call('SMEMBERS', replicas)) do
  local here = redis.call('HKEYS', streams .. replica)
  if #here == 0 then redis.call('SREM', replicas, replica) end
  for _, listener in ipairs(here) do
    if not known[listener] then
      known[listener] = true
      listeners = listeners + 1
    end
  end
end
return {listeners, redis.call('HGETALL', tally)}
"""

END: Final = """
local room, rooms = KEYS[1], KEYS[2]
local code, channel = ARGV[1], ARGV[2]
redis.call('DEL', unpack(KEYS, 3))
redis.call('ZREM', rooms, code)
if redis.call('DEL', room) == 1 then redis.call('PUBLISH', channel, code) end
"""
