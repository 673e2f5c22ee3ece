// Loaded before a program under test: the package that this file's address names behind `?` is not there, as after an
// install without it.
import { registerHooks } from 'node:module';

const missing = new URL(import.meta.url).search.slice(1);

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith(missing)) return next(specifier, context);
    throw Object.assign(new Error(`Cannot find package '${specifier}' imported from a test`), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
  },
});
