import { a } from "a";

a.open();
