<?php
// app/Shelf.php

class Shelf {}
