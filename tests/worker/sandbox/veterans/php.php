<?php
while (TRUE)
{
    fscanf(STDIN, "%d", $turn);
    error_log("turn " . $turn);
    echo("REPLY " . $turn . "\n");
}
