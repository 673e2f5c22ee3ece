/** The machine-readable description of the interface, OpenAPI 3.1. */
export function openApiDocument(): unknown {
  return { openapi: '3.1.0', info: { title: 'Speech', version: '1' }, paths: {} };
}
