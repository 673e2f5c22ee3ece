// Node's `--import` loads this module into the bot, whose own code knows nothing of the playground.

// The bot stops when the playground ends or crashes. `unref` lets the bot exit while the IPC channel is open.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'));
process.channel?.unref();
