import { render } from 'preact';
import { bringsSomething, takeEntrance } from './account/entrance';
import { watchFocus } from './platform/focus';
import { restrictPictures } from './platform/pictures';
import { App } from './views/app';

restrictPictures();
// Before anything else, because one-time parts must not stay in the URL.
const entrance = takeEntrance();
watchFocus();
render(<App entrance={entrance} />, document.getElementById('app')!);

// In a tab that already shows the application, following a link to it only changes the fragment and loads nothing.
window.addEventListener('hashchange', () => {
  if (bringsSomething(new URL(location.href))) location.reload();
});
