import '../process/v8-workarounds.ts';

try {
  await import('./program.ts');
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, missing] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
  if (code !== 'ERR_MODULE_NOT_FOUND' || missing === undefined) throw error;
  process.stderr.write(
    `The playground needs npm packages that are not installed here, such as ${missing}: npm ci --include=dev installs them.\n`,
  );
  process.exitCode = 1;
}
