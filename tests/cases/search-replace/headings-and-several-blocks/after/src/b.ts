import { PORT } from './a';
