// Commands as a bot would register them, with a test's changes.
export const text = (change: object = {}) => ({ type: 3, name: 'text', description: 'What to say', ...change });
export const say = (change: object = {}) => ({ name: 'say', description: 'Speak', ...change });
export const withOptions = (...options: object[]) => say({ options });
export const many = (count: number, one: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => one(index));
