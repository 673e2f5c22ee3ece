// Node loads this module before the bot (--import) when the playground starts the bot.

// If the parent process ends, even by a crash, the bot shuts down cleanly. The IPC channel alone does not keep the bot
// alive.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'));
process.channel?.unref();
