// Loaded before the bot (--import) when the playground starts it: the bot ends in good order when whoever started it is
// gone, however suddenly. The channel itself keeps nobody alive.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'));
process.channel?.unref();
