// This module shuts the bot down when the playground ends. The playground loads the module with Node's `--import`, so
// that the bot's own code knows nothing of the playground.

// When the playground ends or crashes, its IPC channel to the bot closes: then the bot stops. `unref` lets the bot exit
// while the channel is open.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'));
process.channel?.unref();
