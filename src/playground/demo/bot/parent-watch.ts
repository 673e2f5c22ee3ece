// Loaded before the bot (--import) when the playground starts it: the bot shuts down cleanly when its parent process
// is gone, however suddenly. The IPC channel itself does not keep the bot alive.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'));
process.channel?.unref();
