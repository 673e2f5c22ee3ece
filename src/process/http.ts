/**
 * Node's HTTP server. An `import` of `node:http` would read all exports, and the WebSocket among them loads Node's
 * fetch: 12 MB that no program of Crier uses.
 */
export const { createServer } = process.getBuiltinModule('node:http');
