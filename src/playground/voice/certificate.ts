import { generate } from 'selfsigned';

const LIFETIME_MS = 30 * 24 * 3_600_000;
let made: ReturnType<typeof makeCertificate> | undefined;

/** The certificate for localhost and 127.0.0.1, made once a process: several servers share it. */
export function loopbackCertificate() {
  made ??= makeCertificate();
  return made;
}

/** A key and the certificate that is its own authority, both PEM. */
async function makeCertificate() {
  const now = Date.now();
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    // An hour back: the clocks of containers differ.
    notBeforeDate: new Date(now - 3_600_000),
    notAfterDate: new Date(now + LIFETIME_MS),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}
