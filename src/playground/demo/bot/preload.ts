// This module shuts the bot down when the playground ends. The playground loads the module with Node's `--import`, so
// that the bot's own code knows nothing of the playground.

// The channel to the playground closes even if the playground crashes. `unref` lets the bot exit while the channel is
// open.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'));
process.channel?.unref();
