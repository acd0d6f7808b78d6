// Imported before oidc-provider, to suppress its warnings about what is intended here: in-memory storage, and any Node
// version that this project supports.
const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING')) warn(...words);
};
