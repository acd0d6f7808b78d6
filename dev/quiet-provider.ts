// Imported before oidc-provider, which warns of what is meant here: everything in memory, on every Node this project runs on.
const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING')) warn(...words);
};
