/**
 * Node's HTTP server, loaded as a built-in module: an `import` would load Node's WebSocket, and with it Node's fetch,
 * 12 MB that no program of Crier uses.
 */
export const { createServer } = process.getBuiltinModule('node:http');
