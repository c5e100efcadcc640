two
end
