import { render } from 'preact';
import { bringsSomething, takeEntrance } from './account/entrance';
import { App } from './views/app';

// Before anything else: what the address brings along must not stay there.
const entrance = takeEntrance();
render(<App entrance={entrance} />, document.getElementById('app')!);

// In a tab that shows the application a link to it changes the fragment only, and nothing is loaded.
window.addEventListener('hashchange', () => {
  if (bringsSomething(new URL(location.href))) location.reload();
});
