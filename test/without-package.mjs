// Loaded before a program under test: the package that MISSING_PACKAGE names is not there, as after an install without it.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith(process.env.MISSING_PACKAGE)) return next(specifier, context);
    throw Object.assign(new Error(`Cannot find package '${specifier}' imported from a test`), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
  },
});
