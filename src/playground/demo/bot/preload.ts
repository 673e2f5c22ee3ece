// Shuts the bot down if the playground that started it ends. The playground starts Node with --import and this module,
// so that the bot itself contains no code for the playground.

// If the parent process ends, even by a crash, the bot shuts down cleanly. The IPC channel alone does not keep the bot
// alive.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'));
process.channel?.unref();
