import { render } from 'preact';
import { takeEntrance } from './account/entrance';
import { App } from './views/app';

// Before anything else: what the address brings along must not stay there.
const entrance = takeEntrance();
render(<App entrance={entrance} />, document.getElementById('app')!);
