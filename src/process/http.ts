/** Loads node:http without an `import`, which reads every export and so loads WebSocket and fetch: 12 MB that Crier never uses. */
export const { createServer } = process.getBuiltinModule('node:http');
