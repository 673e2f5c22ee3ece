/** What a page on loopback may load besides its own files. */
interface PageSources {
  readonly media: readonly string[];
  readonly images?: readonly string[];
  readonly connections?: readonly string[];
  /** Programs in WebAssembly, which the browser compiles. */
  readonly wasm?: boolean;
}

/** Keeps markup of strangers from running in a page on loopback, and other sites from framing it. */
export const pageHeaders = ({
  media,
  images = [],
  connections = [],
  wasm = false,
}: PageSources): Record<string, string> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src 'self'${wasm ? " 'wasm-unsafe-eval'" : ''}`,
    "style-src 'self'",
    ['img-src', "'self'", ...images].join(' '),
    ['connect-src', "'self'", ...connections].join(' '),
    ['media-src', ...media].join(' '),
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
});
